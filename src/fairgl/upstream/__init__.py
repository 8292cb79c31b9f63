"""The released library of the benchmark, run as it is beside our methods: the adapter of the audit chapter.

``pygdebias==1.1.1`` is the software that the benchmark published with its tables. Its pinned dependencies (torch 1.12,
Python 3.9) can no longer be installed, so it is unpacked without them into the data cache
(:mod:`fairgl.upstream.install`), and each of its classes runs in a process of its own on the CPU
(:mod:`fairgl.upstream.run`, :mod:`fairgl.upstream.child`) under named, minimal shims (:mod:`fairgl.upstream.shims`).
What it computes is stored as records of the study ``audit``, and :mod:`fairgl.upstream.findings` holds one small
executable demonstration per finding.

Nothing in the package imports this one: a method, metric or number of ours never depends on the library. Its code is
not part of this repository.
"""
