"""Walks: the FairWalk step (T19), dead ends, determinism, and embeddings read back by token."""

import numpy as np
import pytest
import scipy.sparse as sp

from fairgl.skipgram import skipgram
from fairgl.walks import fairwalk_weights, uniform_weights, walks


def star(neighbours):
    row = np.zeros(len(neighbours), dtype=int)
    matrix = sp.coo_array((np.ones(len(row)), (row, neighbours)), shape=(5, 5))
    return (matrix + matrix.T).tocsr()


SENS = np.array([0, 0, 0, 0, 1])


def test_fairwalk_step_probabilities():
    both = fairwalk_weights(star([1, 2, 3, 4]), SENS)
    np.testing.assert_allclose(both[[0], :].toarray()[0], [0, 1 / 6, 1 / 6, 1 / 6, 1 / 2])
    one = fairwalk_weights(star([1, 2, 3]), SENS)
    np.testing.assert_allclose(one[[0], :].toarray()[0], [0, 1 / 3, 1 / 3, 1 / 3, 0])


def test_fairwalk_sampled_shares():
    weights = fairwalk_weights(star([1, 2, 3, 4]), SENS)
    steps = walks(weights, 60_000, 2, np.random.default_rng(0), starts=np.array([0]))[:, 1]
    shares = np.bincount(steps, minlength=5) / len(steps)
    np.testing.assert_allclose(shares, [0, 1 / 6, 1 / 6, 1 / 6, 1 / 2], atol=0.01)


def test_three_groups_count_only_groups_that_are_present():
    weights = fairwalk_weights(star([1, 2, 3, 4]), np.array([0, 2, 2, 1, 0]))
    np.testing.assert_allclose(weights[[0], :].toarray()[0], [0, 1 / 6, 1 / 6, 1 / 3, 1 / 3])


def test_walks_follow_edges_and_stop_at_dead_ends():
    path = sp.csr_array((np.ones(2), ([0, 1], [1, 2])), shape=(4, 4))  # 0 -> 1 -> 2, and 3 alone
    out = walks(uniform_weights(path), 2, 4, np.random.default_rng(1))
    assert out.dtype == np.int32 and out.shape == (8, 4)
    expected = {0: [0, 1, 2, -1], 1: [1, 2, -1, -1], 2: [2, -1, -1, -1], 3: [3, -1, -1, -1]}
    assert all(row.tolist() == expected[row[0]] for row in out)
    assert np.bincount(out[:, 0]).tolist() == [2, 2, 2, 2]


def test_every_step_is_an_edge_and_a_seed_fixes_it():
    rng = np.random.default_rng(2)
    adjacency = sp.random_array((300, 300), density=0.02, rng=rng, format="csr")
    adjacency = ((adjacency + adjacency.T) > 0).astype(float)
    weights = fairwalk_weights(adjacency, rng.integers(0, 3, 300))
    out = walks(weights, 3, 20, np.random.default_rng(3))
    assert np.array_equal(out, walks(weights, 3, 20, np.random.default_rng(3)))
    source, target = out[:, :-1].ravel(), out[:, 1:].ravel()
    taken = target >= 0
    assert (adjacency[source[taken], target[taken]] > 0).all()


def test_weights_that_are_no_probabilities_are_refused():
    with pytest.raises(ValueError, match="sum to 1"):
        walks(star([1, 2]), 1, 3, np.random.default_rng(0))
    with pytest.raises(ValueError, match="non-negative"):
        uniform_weights(-star([1, 2]))


def test_skipgram_rows_belong_to_their_nodes():
    # Two cliques joined by nothing; node 9 is far more frequent than node 0, so gensim's own order is not ours.
    left = np.random.default_rng(0).integers(0, 5, (400, 10))
    right = np.random.default_rng(1).integers(5, 10, (800, 10))
    vectors = skipgram(np.concatenate([left, right]).astype(np.int32), 11, dim=8, window=3, epochs=3, seed=1)
    assert vectors.shape == (11, 8) and not vectors[10].any()
    unit = vectors[:10] / np.linalg.norm(vectors[:10], axis=1, keepdims=True)
    cosine = unit @ unit.T
    same = np.equal.outer(np.arange(10) < 5, np.arange(10) < 5)
    assert cosine[same].min() > cosine[~same].max()
    again = skipgram(np.concatenate([left, right]).astype(np.int32), 11, dim=8, window=3, epochs=3, seed=1)
    assert np.array_equal(vectors, again)
