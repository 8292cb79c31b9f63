"""GEAR's synthetic graph: the one data set whose counterfactuals are known, because its equations are.

Source: Ma et al. (GEAR, 2022) and their generator. With ``s`` Bernoulli(0.4), ``z`` standard normal in 50 dimensions,
``J`` half of the coordinates and ``v``, ``w`` standard normal:

    x_i  = z_{i,J} + s_i v                                    features
    A_ij = [cos(z_i, z_j) + 0.01 [s_i = s_j] >= 0.4]          edges (everyone is also linked to themselves)
    y_i  = [z_i w + mean of s over i and its neighbours > threshold]    label; the threshold is the mean score

Deviation: draws are seeded (the authors' were not), and similarities are computed in blocks of rows. The shipped file
rebuilds from its own ``z``, ``v``, ``w`` without a difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from fairgl.datasets import floats
from fairgl.fetch import fetched
from fairgl.graph import Graph, canonical_edges
from fairgl.registry import DATASETS
from fairgl.seeding import rng

BLOCK = 512


@dataclass(frozen=True, eq=False)
class GearModel:
    """The structural equations with their exogenous draws.

    Attributes:
        s: Factual sensitive values, int64 [N].
        z: Latent vectors, float64 [N, D].
        columns: Coordinates of ``z`` that show in the features, int64 [F].
        v: Effect of ``s`` on the features, float64 [F].
        w: Effect of ``z`` on the score, float64 [D].
        w_s: Effect of the neighbourhood's mean ``s`` on the score.
        bonus: Added similarity of nodes with equal ``s``.
        cut: Similarity from which two nodes are linked.
        name: Of the data set.
    """

    s: np.ndarray
    z: np.ndarray
    columns: np.ndarray
    v: np.ndarray
    w: np.ndarray
    w_s: float = 1.0
    bonus: float = 0.01
    cut: float = 0.4
    name: str = "gear-synthetic"

    def features(self, s: np.ndarray | None = None) -> np.ndarray:
        """Features under ``s`` (factual if None), float64 [N, F]."""
        s = self.s if s is None else s
        return self.z[:, self.columns] + s[:, None] * self.v

    def edges(self, s: np.ndarray | None = None) -> np.ndarray:
        """Canonical edges under ``s``, int64 [M, 2]."""
        s = self.s if s is None else s
        unit = self.z / np.linalg.norm(self.z, axis=1, keepdims=True)
        found = []
        for start in range(0, len(s), BLOCK):
            rows = slice(start, start + BLOCK)
            similar = unit[rows] @ unit.T + self.bonus * (s[rows, None] == s[None, :])
            i, j = np.nonzero(similar >= self.cut)
            found.append(np.column_stack([i + start, j]))
        pairs = np.concatenate(found)
        return pairs[pairs[:, 0] < pairs[:, 1]].astype(np.int64)

    def scores(self, s: np.ndarray | None = None, edges: np.ndarray | None = None) -> np.ndarray:
        """Scores behind the labels under ``s``, float64 [N]; ``edges`` defaults to those under ``s``."""
        s = self.s if s is None else s
        edges = self.edges(s) if edges is None else edges
        both = np.concatenate([edges, edges[:, ::-1]])
        total = s + sp.coo_array((s[both[:, 1]], both.T), shape=(len(s),) * 2).sum(axis=1)
        return self.z @ self.w + self.w_s * total / (1 + np.bincount(both[:, 0], minlength=len(s)))

    def threshold(self) -> float:
        """The factual mean score: labels of every counterfactual world are cut there too."""
        return float(self.scores().mean())

    def graph(self, s: np.ndarray | None = None) -> Graph:
        """The whole world under ``s``: features with ``s`` first, edges and labels all follow from the equations."""
        s = self.s if s is None else np.asarray(s, dtype=np.int64)
        edges, report = canonical_edges(self.edges(s), len(s))
        return Graph(
            name=self.name,
            x=floats(np.column_stack([s, self.features(s)])),
            edges=edges,
            y=(self.scores(s, edges) > self.threshold()).astype(np.int64),
            sens=s.astype(np.int64),
            sens_name="s",
            sens_labels=("s = 0", "s = 1"),
            sens_column=0,
            feature_names=("s", *(f"x{i}" for i in range(len(self.columns)))),
            label_name="y",
            label_meaning="score above the factual mean score",
            card={"source": "generated after Ma et al. (GEAR, 2022)", "licence": "generated here",
                  "edges_how": "cosine similarity of latent vectors, plus 0.01 within a group, at least 0.4",
                  "published_nodes": 2000, "published_edges": 4090,
                  "published_note": "counted in the file that the authors ship; every seed differs", **report},
        )  # fmt: skip

    @classmethod
    def draw(cls, seed: int, nodes: int = 2000, latent: int = 50, shown: int = 25, share: float = 0.4) -> GearModel:
        """New exogenous draws."""
        source = rng("gear-synthetic", seed)
        return cls(
            s=(source.random(nodes) < share).astype(np.int64),
            z=source.standard_normal((nodes, latent)),
            columns=source.choice(latent, shown, replace=False),
            v=source.standard_normal(shown),
            w=source.standard_normal(latent),
        )

    @classmethod
    def from_mat(cls, path: Path | None = None) -> GearModel:
        """The draws behind the authors' ``synthetic.mat`` (fetched unless a path is given)."""
        from scipy.io import loadmat

        file = loadmat(path or fetched("gear_synthetic/synthetic.mat"))
        return cls(
            s=file["sens"].ravel().astype(np.int64),
            z=file["z"].astype(np.float64),
            columns=file["feat_idxs"].ravel().astype(np.int64),
            v=file["v"].ravel().astype(np.float64),
            w=file["w"].ravel().astype(np.float64),
            w_s=float(np.asarray(file["w_s"]).ravel()[0]),
            bonus=float(np.asarray(file["alpha"]).ravel()[0]),
        )


def gear_model(seed: int = 0, shipped: bool = False) -> GearModel:
    """The equations behind ``load("gear-synthetic", ...)`` with the same parameters."""
    return GearModel.from_mat() if shipped else GearModel.draw(seed)


@DATASETS.register("gear-synthetic", title="GEAR synthetic", kind="generated", tasks=("nodes",),
                   licence="generated here", model=gear_model)  # fmt: skip
def gear_synthetic(seed: int = 0, shipped: bool = False) -> Graph:
    """GEAR's synthetic graph with 26 columns, ``s`` first.

    Args:
        seed: Of the draws.
        shipped: Rebuild the authors' own file from its draws instead (fetched).
    """
    return gear_model(seed, shipped).graph()
