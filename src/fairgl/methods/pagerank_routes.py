r"""The three routes of InFoRM (Kang et al., 2020) in their original setting: PageRank, a mining model without labels.

PageRank :math:`r = c A r + (1 - c) e` on the symmetrically normalised adjacency is unfair as far as similar nodes get
different ranks, :math:`r^T L_S r`. The routes change what can be changed:

* *graph*: :math:`\min_{\hat A} \|\hat A - A\|_F^2 + \alpha\, r(\hat A)^T L_S\, r(\hat A)` on the existing edges, by
  projected gradients; with :math:`u = (I - c \hat A)^{-1} L_S r` the second term's slope at an edge is
  :math:`2 c\, \alpha (u_i r_j + u_j r_i)`;
* *model*: :math:`r = \tfrac{c}{1 + \alpha} A r + \tfrac{\alpha}{1 + \alpha} S r + \tfrac{1 - c}{1 + \alpha} e`;
* *result*: :math:`(I + \alpha L_S) \bar r = r` by conjugate gradients.

S is the cosine of rows of the normalised adjacency, cut at mean + 0.75 standard deviations and normalised again, as in
the authors' code. It is formed here, sparsely, because a cut needs its entries: meant for graphs the size of german or
credit. Class scores do not come out, which is why these routes stand in no table (InFoRM-3).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg, eigsh

from fairgl.graph import Graph
from fairgl.metrics.individual import unit_rows

DAMPING = 0.85
TOLERANCE = 1e-12


def normalised(a: sp.csr_array) -> sp.csr_array:
    """D^-1/2 A D^-1/2; a row without entries stays empty."""
    degree = np.asarray(a.sum(axis=1)).ravel()
    scale = sp.diags_array(np.divide(1.0, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0))
    return sp.csr_array(scale @ a @ scale)


def adjacency(graph: Graph) -> sp.csr_array:
    """The symmetrically normalised adjacency [N, N] without loops, float64."""
    return normalised(sp.csr_array(graph.adjacency(), dtype=np.float64))


def similarity(a: sp.csr_array, cut: float = 0.75) -> sp.csr_array:
    """Cosine of rows of ``a`` [N, N], entries of at least mean + ``cut`` standard deviations, normalised; no loops."""
    rows = unit_rows(a)
    s = sp.csr_array(rows @ rows.T)
    s.data[s.data < s.data.mean() + cut * s.data.std()] = 0.0
    s = s - sp.diags_array(s.diagonal())  # a node is no neighbour of itself; the Laplacian ignores it anyway
    s = sp.csr_array(s)
    s.eliminate_zeros()
    return normalised(s)


def laplacian(s: sp.csr_array) -> sp.csr_array:
    """Row sums on the diagonal, minus S."""
    return sp.csr_array(sp.diags_array(np.asarray(s.sum(axis=1)).ravel()) - s)


def bias(r: np.ndarray, s: sp.csr_array) -> float:
    """Half the sum of S_ij (r_i - r_j)^2."""
    return float(r @ (laplacian(s) @ r))


def fixed_point(matrix: sp.csr_array, start: np.ndarray) -> np.ndarray:
    """x = matrix x + start for a symmetric matrix whose eigenvalues are below 1."""
    x, stopped = cg(sp.eye_array(len(start)) - matrix, start, rtol=TOLERANCE, maxiter=2000)
    if stopped:
        raise RuntimeError(f"conjugate gradients did not converge in {stopped} iterations")
    return x


def pagerank(a: sp.csr_array, damping: float = DAMPING) -> np.ndarray:
    """Ranks [N]; e has the mean 1, so that ranks have a scale that does not depend on N."""
    return fixed_point(damping * a, (1 - damping) * np.ones(a.shape[0]))


def change_model(a: sp.csr_array, s: sp.csr_array, alpha: float = 0.5, damping: float = DAMPING) -> np.ndarray:
    """Ranks of the model that spreads along similarity too."""
    e = (1 - damping) / (1 + alpha) * np.ones(a.shape[0])
    return fixed_point((damping * a + alpha * s) / (1 + alpha), e)


def change_result(r: np.ndarray, s: sp.csr_array, alpha: float = 0.5) -> np.ndarray:
    """Ranks smoothed along similarity afterwards."""
    return fixed_point(-alpha * laplacian(s), r)


def change_graph(
    a: sp.csr_array, s: sp.csr_array, alpha: float = 0.1, damping: float = DAMPING, rate: float = 0.02, steps: int = 50
) -> sp.csr_array:
    """Adjacency [N, N] with other weights of the same edges.

    Weights stay non-negative, and the whole is scaled down where its largest eigenvalue would pass 1, beyond which
    PageRank has no fixed point.
    """
    changed = sp.csr_array(a, copy=True)
    original = changed.data.copy()
    row = np.repeat(np.arange(a.shape[0]), np.diff(changed.indptr))
    for _ in range(steps):
        changed.data = np.maximum(0.0, changed.data - rate * slope(changed, original, row, s, alpha, damping))
        top = eigsh(changed, k=1, which="LA", return_eigenvectors=False, tol=1e-6, v0=np.ones(a.shape[0]))
        changed.data /= max(1.0, float(top[0]))
    return changed


def slope(
    a: sp.csr_array, original: np.ndarray, row: np.ndarray, s: sp.csr_array, alpha: float, damping: float
) -> np.ndarray:
    """Derivative of the graph route's objective in the weight of each stored entry's edge; both entries move."""
    r = pagerank(a, damping)
    u = fixed_point(damping * a, laplacian(s) @ r)
    pull = 2 * damping * (u[row] * r[a.indices] + u[a.indices] * r[row])
    return 4 * (a.data - original) + alpha * pull
