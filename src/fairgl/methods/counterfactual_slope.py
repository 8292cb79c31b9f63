r"""The gradient of a counterfactual loss with respect to edges, in closed form, for a linear two-layer GCN.

With P = D^{-1/2} (A(w) + I) D^{-1/2}, w one weight per unordered pair of nodes (1 on edges, 0 elsewhere), and the model
:math:`f = P (P z + \beta_1) + \beta_2`, z = X v, the loss

.. math:: L_{cf}(w) = \frac1N \sum_i |\sigma(f(z))_i - \sigma(f(z^{flip}))_i|

compares every node's prediction with the one under flipped sensitive values. The derivative by an entry of P is a sum
of four products of node vectors, and that by a degree follows from the same vectors, so after O(nnz(A)) work any pair's
slope, edge or not, takes O(1). The tests compare it with autograd and finite differences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp


class Slope(NamedTuple):
    """L_cf and its gradient by the weights of node pairs."""

    value: float
    flipped: float  # share of nodes whose predicted class changes
    scale: np.ndarray  # [N] inverse square root of the degrees, loop included
    left: np.ndarray  # [N, 4] and
    right: np.ndarray  # [N, 4]: the gradient by P is left rightᵀ
    degree: np.ndarray  # [N] gradient by the degrees

    def at(self, pairs: np.ndarray) -> np.ndarray:
        """dL/dw for unordered pairs [K, 2], edges or not."""
        i, j = pairs.T
        both = (self.left[i] * self.right[j]).sum(axis=1) + (self.left[j] * self.right[i]).sum(axis=1)
        return both * self.scale[i] * self.scale[j] + self.degree[i] + self.degree[j]


def counterfactual_slope(
    adjacency: sp.csr_array, z: np.ndarray, z_flip: np.ndarray, inner: float, outer: float
) -> Slope:
    """The loss and its gradient.

    Args:
        adjacency: [N, N] symmetric weights, without loops.
        z, z_flip: [N] X v of the factual and the flipped features.
        inner, outer: The constants beta_1 and beta_2.
    """
    d = np.asarray(adjacency.sum(axis=1), dtype=np.float64).ravel() + 1.0
    scale = d**-0.5

    def p(h: np.ndarray) -> np.ndarray:
        scaled = scale[:, None] * h
        return scale[:, None] * (adjacency @ scaled + scaled)

    first = np.column_stack([z, z_flip]).astype(np.float64)  # [N, 2], one column per world
    second = p(first) + inner
    last = p(second)
    f = last + outer
    probability = 1.0 / (1.0 + np.exp(-f))
    gap = probability[:, 0] - probability[:, 1]
    g = np.sign(gap)[:, None] * np.array([1.0, -1.0]) * probability * (1.0 - probability) / len(d)  # dL/df
    q = p(g)
    # dL/dP_ij = sum over the worlds of g_i second_j + q_i first_j; and dP_ij/dd_i = -P_ij / (2 d_i).
    left, right = np.hstack([g, q]), np.hstack([second, first])
    degree = -(left * np.hstack([last, second - inner]) + right * np.hstack([q, p(q)])).sum(axis=1) / (2.0 * d)
    flipped = float(((f[:, 0] > 0) != (f[:, 1] > 0)).mean())
    return Slope(float(np.abs(gap).mean()), flipped, scale, left, right, degree)
