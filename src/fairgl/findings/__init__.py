"""How each kind of claim is tested on records: one file per kind, evaluators registered by name.

An evaluator takes a :class:`fairgl.claims.Claim` and the records of its study and returns its units. For statements
about order use :func:`fairgl.findings.resampling.over_seeds`, which needs only a function of the methods' means.
"""
