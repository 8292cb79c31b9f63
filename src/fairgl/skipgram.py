"""Skip-gram with negative sampling on walks (gensim), read back by token.

gensim orders its vocabulary by frequency; a table indexed by node must therefore look every token up, which one of the
audited code bases does not do.
"""

from __future__ import annotations

import numpy as np


class _Sentences:
    """Walks as lists of tokens, made anew at every pass so that the corpus exists once, as an array."""

    def __init__(self, walks: np.ndarray, tokens: np.ndarray):
        self.walks, self.tokens = walks, tokens
        self.lengths = (walks >= 0).sum(axis=1)

    def __iter__(self):
        for first in range(0, len(self.walks), 4096):
            block = self.tokens[self.walks[first : first + 4096]]
            for row, length in zip(block, self.lengths[first : first + 4096], strict=True):
                yield row[:length].tolist()


def skipgram(
    walks: np.ndarray,
    num_nodes: int,
    *,
    dim: int = 128,
    window: int = 10,
    epochs: int = 5,
    negatives: int = 5,
    lr: float = 0.025,
    seed: int = 0,
    workers: int = 1,
) -> np.ndarray:
    """Embed nodes by the company they keep in walks.

    Args:
        walks: int [W, L] of node numbers, -1 after a walk's end.
        num_nodes: N.
        dim, window, epochs, negatives, lr: Word2Vec's hyperparameters; ``lr`` is gensim's default.
        workers: More than one is faster and not reproducible.

    Returns:
        float32 [N, dim]; nodes that occur in no walk are zero.
    """
    from gensim.models import Word2Vec

    tokens = np.array([str(i) for i in range(num_nodes)], dtype=object)
    model = Word2Vec(
        sentences=_Sentences(walks, tokens),
        vector_size=dim,
        window=window,
        epochs=epochs,
        negative=negatives,
        alpha=lr,
        sg=1,
        hs=0,
        min_count=1,
        seed=seed,
        workers=workers,
    )
    out = np.zeros((num_nodes, dim), dtype=np.float32)
    for token, index in model.wv.key_to_index.items():
        out[int(token)] = model.wv.vectors[index]
    return out
