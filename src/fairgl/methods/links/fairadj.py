"""FairAdj (Li et al., 2021): a variational graph autoencoder whose edge weights are learned for dyadic fairness.

Four rounds of (T1) 50 Adam steps of the autoencoder, widths 32 and 16, and (T2) 20 projected gradient steps on the
row-stochastic edge weights that shrink the squared gap between the mean logits of same-group and cross-group pairs.

No N x N matrix: the T2 loss needs only the groups' embedding sums, and the reconstruction loss over all ordered pairs
is taken in blocks of rows, or beyond ``exact_up_to`` nodes on a uniform sample of pairs (LINK-7). Further deviations:
LINK-8 weights stay on the edges (the authors' projection may spread a row over all nodes); LINK-9 training edges only,
scaled features and the mean embedding for scores, where the published scores came from an encoder that saw the test
edges (``full_graph=True`` shows the leak), raw features (``scale="none"``) and a noisy embedding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from fairgl.edge_weights import EdgeWeights, propagate
from fairgl.graph import Graph
from fairgl.link_splits import LinkSplit
from fairgl.link_training import message_matrix
from fairgl.methods.links import LinkMethod, LinkScores
from fairgl.nn import Linear
from fairgl.registry import LINK_METHODS, hp
from fairgl.seeding import torch_seed
from fairgl.sparse import features
from fairgl.training import Diverged
from fairgl.views import scale_features

BLOCK = 1 << 22  # entries of a block of logits


class _AllPairs(torch.autograd.Function):
    """Sum of softplus(z_i . z_j) over all ordered pairs, in blocks of rows; the gradient is 2 sigmoid(Z Z^T) Z."""

    @staticmethod
    def forward(ctx, z: Tensor) -> Tensor:
        total, gradient = z.new_zeros((), dtype=torch.float64), torch.empty_like(z)
        for rows in torch.arange(len(z), device=z.device).split(max(1, BLOCK // len(z))):
            logits = z[rows] @ z.T
            total += nn.functional.softplus(logits).sum(dtype=torch.float64)
            gradient[rows] = 2 * logits.sigmoid() @ z
        ctx.save_for_backward(gradient)
        return total.to(z.dtype)

    @staticmethod
    def backward(ctx, gradient: Tensor):
        return gradient * ctx.saved_tensors[0]


class Autoencoder(nn.Module):
    """Two propagations to a mean and a log standard deviation per node [N, width]."""

    def __init__(self, in_dim: int, hidden: int, width: int):
        super().__init__()
        self.first = Linear(in_dim, hidden, bias=False)
        self.mean, self.log_std = Linear(hidden, width, bias=False), Linear(hidden, width, bias=False)

    def forward(self, x: Tensor, values: Tensor, w: EdgeWeights) -> tuple[Tensor, Tensor]:
        h = propagate(values, self.first(x), w).relu()
        return tuple(propagate(values, layer(h), w) for layer in (self.mean, self.log_std))


@LINK_METHODS.register("fairadj")
@dataclass(frozen=True)
class FairAdj(LinkMethod):
    """Any number of groups: pairs are same-group or not. Cost of a step: O(N^2 width) up to ``exact_up_to`` nodes."""

    label = "FairAdj"
    family = "in-processing"
    notion = "group"
    reference = "li2021fairadj"
    dataset_settings = {
        "facebook": {"eta": 0.2}, "german": {"eta": 0.05}, "nba": {"eta": 0.02}, "credit": {"eta": 0.15},
        "chameleon": {"eta": 0.3}, "garn": {"eta": 0.5}, "pokec-n": {"eta": 3.0}, "pokec-z": {"eta": 2.5},
    }  # fmt: skip

    hidden: int = hp(32, "authors' code and reproducibility study, Table 7")
    width: int = hp(16, "authors' code and reproducibility study, Table 7")
    rounds: int = hp(4, "authors' code and reproducibility study, Table 7")
    t1: int = hp(50, "authors' code and reproducibility study, Table 7")
    t2: int = hp(20, "authors' default; the same for all data sets in the reproducibility study's code")
    lr: float = hp(0.01, "authors' code and reproducibility study, Table 7")
    eta: float = hp(0.2, "authors' default; per data set, the reproducibility study's code")
    clip: float = hp(1.0, "reproducibility study, Table 7")
    scale: str = hp("standard", "authors' code; the reproducibility study's dropped it")
    full_graph: bool = hp(False, "authors' code removes test edges; the reproducibility study's code did not")
    exact_up_to: int = hp(5000, "ours (LINK-7)")
    sampled_pairs: int = hp(300_000, "ours (LINK-7)")

    def fit(self, graph: Graph, split: LinkSplit, seed: int, device: str = "cpu") -> LinkScores:
        torch_seed(seed)
        n = graph.num_nodes
        edges = graph.edges if self.full_graph else split.train.positives
        matrix = sp.csr_array(message_matrix(edges, n) + sp.eye_array(n, format="csr"))
        w, x = EdgeWeights(matrix, device), features(scale_features(graph, self.scale, keep_sensitive=False), device)
        values = torch.from_numpy(1.0 / np.repeat(np.diff(matrix.indptr), np.diff(matrix.indptr))).float().to(device)
        groups = nn.functional.one_hot(torch.from_numpy(graph.sens).to(device), graph.num_groups).float()
        model = Autoencoder(graph.num_features, self.hidden, self.width).to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=self.lr)
        for _ in range(self.rounds):
            for _ in range(self.t1):
                optimizer.zero_grad()
                mean, log_std = model(x, values, w)
                loss = self.reconstruction(sample(mean, log_std), w) + divergence(mean, log_std)
                if not torch.isfinite(loss):
                    raise Diverged("the reconstruction loss is not finite (features too large?)")
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), self.clip)
                optimizer.step()
            for _ in range(self.t2):
                values = values.detach().requires_grad_()
                gap = parity_gap(sample(*model(x, values, w)), groups)
                (gradient,) = torch.autograd.grad(gap**2, values)
                values = w.project(values.detach() - self.eta * gradient)
        with torch.no_grad():
            mean = model(x, values, w)[0]
            final_gap = float(parity_gap(mean, groups))
        z = mean.double().cpu().numpy()
        val, test = (np.einsum("ij,ij->i", *z[c.pairs.T]) for c in (split.val, split.test))
        if not (np.isfinite(val).all() and np.isfinite(test).all()):
            raise Diverged("scores are not finite")
        loss = float(np.logaddexp(0.0, np.where(split.val.label == 1, -val, val)).mean()) if len(val) else None
        return LinkScores(val, test, None, loss, {"parity_gap": final_gap, "edges_seen": len(edges)})

    def reconstruction(self, z: Tensor, w: EdgeWeights) -> Tensor:
        """The autoencoder's weighted cross-entropy against A + I over all ordered pairs."""
        n, positives = len(z), len(w.rows)
        weight = (n * n - positives) / positives
        norm = n * n / (2 * (n * n - positives))
        logits = (z[w.rows] * z[w.pattern[1]]).sum(-1)
        if n <= self.exact_up_to:
            every = _AllPairs.apply(z)
        else:  # Deviation LINK-7: an unbiased estimate of the sum over all pairs
            i, j = torch.randint(n, (2, self.sampled_pairs), device=z.device)
            every = nn.functional.softplus((z[i] * z[j]).sum(-1)).mean() * (n * n)
        linked, unlinked = nn.functional.softplus(-logits).sum(), nn.functional.softplus(logits).sum()
        return norm * (weight * linked + every - unlinked) / (n * n)


def sample(mean: Tensor, log_std: Tensor) -> Tensor:
    """A draw of the embedding, z = mean + exp(log_std) noise."""
    return mean + log_std.exp() * torch.randn_like(mean)


def divergence(mean: Tensor, log_std: Tensor) -> Tensor:
    """KL of the embedding from a standard normal, scaled as in the authors' code (twice by 1 / N)."""
    return -0.5 * (1 + 2 * log_std - mean**2 - (2 * log_std).exp()).sum(-1).mean() / len(mean)


def parity_gap(z: Tensor, groups: Tensor) -> Tensor:
    """Mean logit of same-group minus cross-group ordered pairs, from the groups' embedding sums.

    Args:
        z: Embedding [N, width]. groups: One-hot [N, G].
    """
    sums, sizes = groups.T @ z, groups.sum(0)
    same, every = (sums**2).sum(), (sums.sum(0) ** 2).sum()
    same_pairs = (sizes**2).sum()
    return same / same_pairs - (every - same) / (len(z) ** 2 - same_pairs).clamp(min=1)
