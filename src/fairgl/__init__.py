"""Fair graph learning: the package behind *Fair Graph Learning, Reproduced*."""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__", "load"]


def load(name: str, **parameters: object):
    """Load a data set by name, or a user's own graph from a folder. See :func:`fairgl.datasets.load`."""
    from fairgl.datasets import load as load_dataset

    return load_dataset(name, **parameters)
