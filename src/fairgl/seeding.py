"""Seeds derived from named axes.

A run's randomness is a pure function of what the run *is* (data set, split, repetition, purpose). Two methods that
share an axis share its random draw, which is what makes their comparison paired.
"""

from __future__ import annotations

import hashlib

import numpy as np


def derive(*axes: object) -> int:
    """A stable seed in ``0 .. 2**31 - 1`` from any number of named axes.

    The digest is platform independent, unlike :func:`hash`.
    """
    text = "\x1f".join(str(a) for a in axes)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") & 0x7FFFFFFF


def rng(*axes: object) -> np.random.Generator:
    """A NumPy generator of its own for these axes; the global generator is never touched."""
    return np.random.default_rng(derive(*axes))


def torch_seed(seed: int) -> None:
    """Seed torch's generators (CPU and every GPU) and ask for deterministic kernels."""
    import torch

    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True, warn_only=True)
