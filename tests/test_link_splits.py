"""Link splits: stratification, disjoint negatives, clear refusals (T10-T12, T16, T20), published counts, size."""

import time
import tracemalloc

import numpy as np
import pytest

from fairgl.graph import Graph, canonical_edges
from fairgl.link_splits import (
    PARTS,
    LinkSplit,
    NotEnoughPairs,
    link_split,
    target_distribution,
)
from fairgl.pair_types import intra, num_groups, num_types, pair_types, type_groups


def graph_of(pairs, nodes, sens=None, groups=1):
    edges, _ = canonical_edges(np.asarray(pairs, dtype=np.int64).reshape(-1, 2), nodes)
    sens = np.zeros(nodes, dtype=np.int64) if sens is None else np.asarray(sens, dtype=np.int64)
    labels = tuple(str(g) for g in range(groups))
    return Graph("t", np.zeros((nodes, 1), np.float32), edges, None, sens, sens_labels=labels)


def random_graph(nodes, edges, groups, seed=0):
    generator = np.random.default_rng(seed)
    sens = generator.integers(0, groups, nodes)
    return graph_of(generator.integers(0, nodes, (edges, 2)), nodes, sens, groups)


def keys(pairs):
    return {tuple(sorted(row)) for row in pairs.tolist()}


def test_type_numbers_are_the_upper_triangle():
    assert num_types(2) == 3 and num_types(10) == 55
    sens, pairs = np.array([0, 1, 2]), np.array([[0, 0], [1, 0], [0, 2], [1, 1], [2, 1], [2, 2]])
    assert pair_types(sens, pairs, 3).tolist() == [0, 1, 2, 3, 4, 5]
    assert [num_groups(t) for t in (1, 3, 55)] == [1, 2, 10] and intra(3).tolist() == [1, 0, 0, 1, 0, 1]
    with pytest.raises(ValueError, match="no|not"):
        num_groups(5)
    assert type_groups(3).tolist() == [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]
    assert pair_types(np.array([0, 1]), np.array([[0, 0], [1, 0], [1, 1]]), 2).tolist() == [0, 1, 2]


def test_path_of_four_nodes_for_every_seed():  # T10
    graph, free = graph_of([[0, 1], [1, 2], [2, 3]], 4), {(0, 2), (0, 3), (1, 3)}
    for seed in range(200):
        split = link_split(graph, seed, (0.2, 0.4, 0.4))
        for part in (split.val, split.test):
            assert len(part.positives) == 1 and len(part.negatives) == 1
        negatives = [keys(getattr(split, part).negatives) for part in PARTS]
        assert set().union(*negatives) == free and sum(map(len, negatives)) == 3
    with pytest.raises(NotEnoughPairs, match="asked for 6 .* only 3"):
        link_split(graph, 0, (0.2, 0.4, 0.4), negatives=2)


@pytest.mark.parametrize(("removed", "exist"), [(0, 0), (1, 1)])
def test_nothing_to_sample(removed, exist):  # T11
    pairs = [[a, b] for a in range(4) for b in range(a)][removed:]
    began = time.perf_counter()
    with pytest.raises(NotEnoughPairs, match=f"only {exist} pairs without an edge exist"):
        link_split(graph_of(pairs, 4), 0, (0.4, 0.3, 0.3))
    assert time.perf_counter() - began < 1


def test_reverse_copies_isolated_nodes_and_empty_parts():  # T12
    rows = np.array([[0, 1, 1, 2, 2, 3, 3, 4, 4, 5], [1, 0, 2, 1, 3, 2, 4, 3, 5, 4]]).T
    graph = graph_of(rows, 10)
    for seed in range(100):
        split = link_split(graph, seed, (0.6, 0.2, 0.2))
        parts = [keys(getattr(split, part).positives) for part in PARTS]
        assert [len(part) for part in parts] == [3, 1, 1] and len(set().union(*parts)) == 5
        assert split.num_nodes == 10
    cycle = graph_of([[i, (i + 1) % 10] for i in range(10)], 10)
    split = link_split(cycle, 0, (0.8, 0.0, 0.2))
    assert [len(getattr(split, part).positives) for part in PARTS] == [8, 0, 2]
    assert split.val.pairs.shape == (0, 2) and split.val.pairs.dtype == np.int64


@pytest.mark.parametrize("groups", [2, 4])
@pytest.mark.parametrize("negatives", [1.0, 3.0])
def test_parts_are_disjoint_and_keep_type_shares(groups, negatives):
    graph = random_graph(200, 2000, groups)
    split = link_split(graph, 1, negatives=negatives)
    every = np.concatenate([getattr(split, part).pairs for part in PARTS])
    assert (every[:, 0] < every[:, 1]).all() and len(keys(every)) == len(every)
    edges = keys(graph.edges)
    for part in PARTS:
        c = getattr(split, part)
        assert keys(c.positives) <= edges and not keys(c.negatives) & edges
        assert np.array_equal(c.type, pair_types(graph.sens, c.pairs, groups))
        yes, no = (np.bincount(c.type[c.label == v], minlength=split.num_types) for v in (1, 0))
        assert np.array_equal(no, np.rint(negatives * yes))
    assert keys(np.concatenate([getattr(split, part).positives for part in PARTS])) == edges
    np.testing.assert_allclose(target_distribution(split), target_distribution(graph), atol=0.01)
    np.testing.assert_array_equal(target_distribution(split, "all"), target_distribution(graph))


def test_every_free_pair_is_equally_likely():
    graph, count = graph_of([[0, 1], [1, 2], [2, 3], [3, 4]], 5), {}
    for seed in range(3000):
        for pair in keys(link_split(graph, seed, (0.0, 0.5, 0.5), negatives=0.5).test.negatives):
            count[pair] = count.get(pair, 0) + 1
    assert len(count) == 6 and max(count.values()) < 1.25 * min(count.values())


def test_order_says_nothing_about_labels():
    test = link_split(random_graph(500, 5000, 2), 0).test
    rank = np.arange(len(test))
    assert abs(rank[test.label == 1].mean() / rank.mean() - 1) < 0.05


def test_a_split_is_a_function_of_its_seed_and_loads_without_pickle(tmp_path):  # T20
    graph = random_graph(100, 600, 3)
    split = link_split(graph, 3)
    assert split.checksum() == link_split(graph, 3).checksum() != link_split(graph, 4).checksum()
    split.save(tmp_path / "a.npz")
    link_split(graph, 3).save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert LinkSplit.load(tmp_path / "a.npz").checksum() == split.checksum()


def test_wrong_shares_and_targets_are_refused():
    graph = random_graph(50, 100, 2)
    with pytest.raises(ValueError, match="sum to 1"):
        link_split(graph, 0, (0.7, 0.1, 0.1))
    with pytest.raises(ValueError, match="Valid: train, all"):
        target_distribution(link_split(graph, 0), "test")
    with pytest.raises(ValueError, match="no edges"):
        target_distribution(graph_of([], 3))


def test_rare_types_train_on_an_edge_first():
    graph = graph_of([[0, 1], [2, 3], [4, 5]], 6, [0, 0, 0, 1, 1, 1], 2)
    split = link_split(graph, 0)
    assert np.bincount(split.train.type[split.train.label == 1], minlength=3).tolist() == [1, 1, 1]


@pytest.mark.parametrize(("nodes", "edges", "megabytes"), [(20_000, 40_000, 200), (66_569, 440_000, 1000)])
def test_no_dense_matrix_at_scale(nodes, edges, megabytes):  # T16, Pokec's size
    graph = random_graph(nodes, edges, 2)
    began = time.perf_counter()
    tracemalloc.start()
    split = link_split(graph, 0)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    assert len(split.train.positives) > 0.69 * graph.num_edges
    assert peak < megabytes and time.perf_counter() - began < 10


def test_german_counts_are_the_published_ones():
    from fairgl.datasets import load

    split = link_split(load("german", task="links"), 0)
    assert [len(getattr(split, part).positives) for part in PARTS] == [15_218, 2_172, 4_352]
    assert len(split.test) == 8_704
