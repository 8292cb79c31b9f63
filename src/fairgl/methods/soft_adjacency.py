"""A learned adjacency without an N x N matrix: the structural half of EDITS (Dong et al., WWW 2022).

EDITS learns a symmetric Ã in [0, 1]^{N x N} by proximal gradient steps on ‖Ã − A‖² + w·W, where W is the difference
between two groups' mean critic scores. Its critic is linear, so the gradient of W with respect to Ã is the rank-2
matrix c aᵀ + b vᵀ of four node vectors, and an entry's update needs four numbers per end. Only the entries of a
*support* are kept: the graph's edges and loops, and pairs with an end among the anchors (the training nodes, the only
nodes that enter W). Letters: N nodes, S pairs in the support.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import torch

MOMENTUM = 0.9  # of the authors' SGD
MEMORY = 60  # steps that a pair entering the support catches up on; states forget faster
CHUNK = 1 << 15  # pairs updated at a time, so that temporaries stay in the processor's cache
BLOCK = 16  # anchors whose pairs are scored at a time in the search for candidates


class Pull(NamedTuple):
    """The gradient c aᵀ + b vᵀ of W with respect to Ã, as four vectors [N]."""

    c: np.ndarray
    b: np.ndarray
    a: np.ndarray
    v: np.ndarray

    def at(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Entries (i, j) of the gradient."""
        return self.c[i] * self.a[j] + self.b[i] * self.v[j]


class Move(NamedTuple):
    """One proximal step, kept so that pairs entering the support can catch up."""

    pull: Pull
    lr: float
    weight: float
    shrink: float


class SoftAdjacency:
    """Ã on a support of unordered pairs, with one momentum per direction.

    Args:
        adjacency: A, symmetric 0/1 with loops, [N, N] CSR.
        anchors: Nodes whose pairs with every node may enter the support.
        limit: Most anchored pairs kept. If there are fewer, all are kept from the start and the support is fixed;
            otherwise :meth:`refresh` fills it with the pairs that are pulled most.
    """

    def __init__(self, adjacency: sp.csr_array, anchors: np.ndarray, limit: int = 2_000_000):
        self.num_nodes, self.anchors, self.limit = adjacency.shape[0], np.asarray(anchors, dtype=np.int64), int(limit)
        upper = sp.triu(adjacency).tocoo()
        self.given = np.sort(upper.row.astype(np.int64) * self.num_nodes + upper.col)  # codes of A's pairs
        count = len(self.anchors)
        self.complete = count * self.num_nodes - count * (count - 1) // 2 <= self.limit
        self.value, self.momentum = np.zeros(0, np.float32), np.zeros((2, 0), np.float32)
        self.code = np.zeros(0, np.int64)
        self.past: deque[Move] = deque(maxlen=MEMORY)
        self._last = 0.0  # smallest pull of the last choice
        self._support(self._anchored() if self.complete else self.given)

    def _anchored(self) -> np.ndarray:
        other = np.arange(self.num_nodes, dtype=np.int64)
        low, high = np.minimum(self.anchors[:, None], other), np.maximum(self.anchors[:, None], other)
        return np.unique(low * self.num_nodes + high)

    def _support(self, candidates: np.ndarray) -> None:
        """Make the support A's pairs and ``candidates`` (codes). Pairs that stay keep their state; others catch up."""
        place = np.searchsorted(self.given, candidates)
        new = self.given[np.minimum(place, len(self.given) - 1)] != candidates  # loops make A's pairs at least N
        code = np.sort(np.concatenate([self.given, candidates[new]]))
        row, column = (code // self.num_nodes).astype(np.int32), (code % self.num_nodes).astype(np.int32)
        start = np.zeros(len(code), np.float32)
        start[np.searchsorted(code, self.given)] = 1.0
        value, momentum = start.copy(), np.zeros((2, len(code)), np.float32)
        fresh = np.ones(len(code), bool)
        if len(self.code):
            place = np.searchsorted(code, self.code)
            stays = code[np.minimum(place, len(code) - 1)] == self.code
            place = place[stays]
            value[place], momentum[:, place], fresh[place] = self.value[stays], self.momentum[:, stays], False
        if self.past:
            state = row[fresh], column[fresh], start[fresh], value[fresh], momentum[:, fresh]
            for move in self.past:
                self._move(move, *state)
            value[fresh], momentum[:, fresh] = state[3:]
        self.code, self.row, self.column, self.start = code, row, column, start
        self.value, self.momentum = value, momentum
        self._pointer = np.searchsorted(row, np.arange(self.num_nodes + 1)).astype(np.int32)
        self._loop = np.flatnonzero(row == column)

    def __matmul__(self, vectors: np.ndarray) -> np.ndarray:
        """Ã V for V [N] or [N, k]; the upper triangle is read once for both halves, without a copy."""
        upper = sp.csr_array((self.value, self.column, self._pointer), shape=(self.num_nodes, self.num_nodes))
        vectors = np.asarray(vectors, dtype=np.float32)
        out = upper @ vectors + upper.T @ vectors
        ends = self.row[self._loop]
        loops = self.value[self._loop]
        out[ends] -= (loops if vectors.ndim == 1 else loops[:, None]) * vectors[ends]
        return out

    def step(self, pull: Pull, *, lr: float, weight: float, shrink: float) -> None:
        """One proximal step on ‖Ã − A‖² + weight·W: momentum SGD, soft threshold, clip to [0, 1], symmetrise."""
        move = Move(Pull(*(np.ascontiguousarray(vector, dtype=np.float32) for vector in pull)), lr, weight, shrink)
        if not self.complete:
            self.past.append(move)
        self._move(move, self.row, self.column, self.start, self.value, self.momentum)

    @staticmethod
    def _move(move: Move, row, column, start, value, momentum) -> None:
        """Advance the states of pairs in place."""
        c, b, a, v = move.pull
        for at in range(0, len(value), CHUNK):
            part = slice(at, at + CHUNK)
            i, j, old = row[part], column[part], value[part]
            drift = 2.0 * (old - start[part])
            new = np.zeros_like(old)
            ci, bi, ai, vi = c.take(i), b.take(i), a.take(i), v.take(i)
            cj, bj, aj, vj = c.take(j), b.take(j), a.take(j), v.take(j)
            for direction, slope in enumerate((ci * aj + bi * vj, cj * ai + bj * vi)):
                slope *= move.weight
                slope += drift
                speed = momentum[direction, part]
                speed *= MOMENTUM
                speed += slope
                # Deviation EDITS-2: rounded like the authors' half-precision Ã, whose entries near 1 move in steps of
                # 4.9e-4 only; in single precision the soft threshold alone makes ``flips`` remove most edges of credit.
                new += np.clip(half(half(old - move.lr * speed) - move.shrink), 0.0, 1.0)
            value[part] = half(0.5 * half(new))

    def refresh(self, pull: Pull, floor: float) -> float:
        """Choose the anchored pairs that are pulled up most; exact.

        A pair's pull is relu(−G_ij) + relu(−G_ji) with G = c aᵀ + b vᵀ.

        Args:
            floor: Pulls up to this are left out: the soft threshold holds such an entry at 0.

        Returns:
            The smallest pull in the support.
        """
        if self.complete:
            return 0.0
        code, size = self._search(pull, max(floor, 0.9 * self._last))
        if len(code) < self.limit and 0.9 * self._last > floor:  # pulls have fallen since the last choice
            code, size = self._search(pull, floor)
        self._last = float(size.min()) if len(code) == self.limit else 0.0
        self._support(code)
        return float(size.min()) if len(code) else floor

    def _search(self, pull: Pull, floor: float) -> tuple[np.ndarray, np.ndarray]:
        """Codes and pulls of the ``limit`` pairs with the largest pulls above ``floor``.

        Anchors are visited by falling upper bound of their pairs' pulls, until the bound is below ``floor``, which
        rises to the ``limit``-th largest pull found so far; nodes whose bound against a block of anchors is below it
        are not looked at.
        """
        c, b, a, v = (np.ascontiguousarray(vector, dtype=np.float32) for vector in pull)
        left, right = np.stack([c, b, a, v]), np.stack([a, v, c, b])
        own, far = np.abs(left[:, self.anchors]), np.abs(right)
        bound = far.max(axis=1) @ own
        order = np.argsort(-bound)
        t, bound, own = self.anchors[order], bound[order], own[:, order]
        is_anchor = np.zeros(self.num_nodes, bool)
        is_anchor[t] = True
        codes, pulls = [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
        for at in range(0, len(t), BLOCK):
            if bound[at] <= floor:
                break
            i, near = t[at : at + BLOCK], np.flatnonzero(own[:, at : at + BLOCK].max(axis=1) @ far > floor)
            ends = right[:, near]
            down = (np.minimum(left[:2, i].T @ ends[:2], 0.0) + np.minimum(left[2:, i].T @ ends[2:], 0.0)).ravel()
            found = np.flatnonzero(down < -floor)
            mine, other = i[found // max(1, len(near))], near[found % max(1, len(near))]
            once = ~is_anchor[other] | (mine <= other)  # pairs of two anchors are met twice
            mine, other = mine[once], other[once]
            codes.append(np.minimum(mine, other) * self.num_nodes + np.maximum(mine, other))
            pulls.append(-down[found[once]])
            if sum(map(len, codes)) > 2 * self.limit:
                codes, pulls = _largest(codes, pulls, self.limit)
                floor = max(floor, float(pulls[0].min()))
        codes, pulls = _largest(codes, pulls, self.limit)
        return codes[0], pulls[0]

    def flips(self, ratio: float) -> tuple[np.ndarray, np.ndarray]:
        """Pairs to add and edges to remove, int64 [*, 2] each, u < v.

        With Δ = Ã − A, entries above ``ratio``·max Δ become 1 and those below ``ratio``·min Δ become 0. Loops count
        for the two extremes and are never flipped: every propagation adds them back.
        """
        delta = self.value - self.start
        off = self.row != self.column
        added = off & (delta > max(ratio * delta.max(), 0.0)) & (self.start == 0)
        removed = off & (delta < min(ratio * delta.min(), 0.0)) & (self.start == 1)
        pairs = np.column_stack([self.row, self.column]).astype(np.int64)
        return pairs[added], pairs[removed]


def half(values: np.ndarray) -> np.ndarray:
    """float32 values rounded to the nearest half-precision number (by torch, whose conversion is vectorised)."""
    return torch.from_numpy(values).half().float().numpy()


def _largest(codes: list, pulls: list, limit: int) -> tuple[list, list]:
    """The ``limit`` largest pulls and their pairs, as one-element lists."""
    code, pull = np.concatenate(codes), np.concatenate(pulls)
    if len(code) > limit:
        top = np.argpartition(-pull, limit - 1)[:limit]
        code, pull = code[top], pull[top]
    return [code], [pull]
