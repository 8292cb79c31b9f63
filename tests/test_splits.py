"""Node splits: sizes of the benchmark's rule, disjointness, pairing across seeds, saving."""

from __future__ import annotations

import numpy as np
import pytest

from fairgl import load
from fairgl.graph import Graph
from fairgl.splits import NodeSplit, node_split


def graph(name="toy", classes=(40, 60), unlabelled=10):
    y = np.concatenate([np.zeros(classes[0]), np.ones(classes[1]), -np.ones(unlabelled)]).astype(np.int64)
    sens = np.arange(len(y)) % 2
    return Graph(name, np.zeros((len(y), 1), np.float32), np.zeros((0, 2), np.int64), y, sens)


@pytest.mark.parametrize(("name", "sizes"), [("german", (100, 250, 250)), ("credit", (6000, 7500, 7500))])
def test_benchmark_sizes(name, sizes):
    data = load(name)
    split = node_split(data, 0)
    assert (len(split.train), len(split.val), len(split.test)) == sizes
    assert data.y[split.train].mean() == 0.5
    # Validation and test keep the share of positives.
    assert abs(data.y[split.test].mean() - data.y.mean()) < 0.001


@pytest.mark.parametrize("rule", ["benchmark", "stratified"])
@pytest.mark.parametrize("name", ["toy", "pokec-z", "aminer-s"])
@pytest.mark.parametrize("seed", range(5))
def test_parts_are_disjoint_and_labelled(rule, name, seed):
    data = graph(name)
    split = node_split(data, seed, rule=rule)
    joined = np.concatenate([split.train, split.val, split.test])
    assert len(np.unique(joined)) == len(joined) and (data.y[joined] >= 0).all()
    again = node_split(data, seed, rule=rule)
    assert all(np.array_equal(getattr(split, part), getattr(again, part)) for part in ("train", "val", "test"))
    assert not np.array_equal(split.test, node_split(data, seed + 1, rule=rule).test)


def test_rules_of_other_data_sets():
    pokec = node_split(graph("pokec-n", (2000, 2000)), 0)
    assert [len(pokec.train), len(pokec.val), len(pokec.test)] == [500, 1000, 1000]
    aminer = node_split(graph("aminer-l", (50, 50)), 0)
    assert [len(aminer.train), len(aminer.val), len(aminer.test)] == [80, 10, 10]


def test_stratified_keeps_cells():
    data = graph(classes=(400, 600))
    split = node_split(data, 0, rule="stratified", fractions=(0.6, 0.2, 0.2))
    for part, share in zip((split.train, split.val, split.test), (0.6, 0.2, 0.2), strict=True):
        for y, size in ((0, 400), (1, 600)):
            for s in (0, 1):
                assert ((data.y[part] == y) & (data.sens[part] == s)).sum() == round(share * size / 2)


def test_a_saved_split_loads_without_trust(tmp_path):
    split = node_split(graph(), 3)
    split.save(tmp_path / "split.npz")
    with np.load(tmp_path / "split.npz", allow_pickle=False) as file:
        assert sorted(file) == ["test", "train", "val"]
    loaded = NodeSplit.load(tmp_path / "split.npz")
    assert all(np.array_equal(getattr(split, part), getattr(loaded, part)) for part in ("train", "val", "test"))
    np.savez(tmp_path / "other.npz", train=[1])
    with pytest.raises(ValueError, match="val, test missing"):
        NodeSplit.load(tmp_path / "other.npz")


def test_errors():
    with pytest.raises(ValueError, match="Valid: benchmark, stratified"):
        node_split(graph(), 0, rule="random")
    with pytest.raises(ValueError, match="no node labels"):
        node_split(graph().replace(y=None), 0)
    with pytest.raises(ValueError, match="1 class"):
        node_split(graph(classes=(0, 50)), 0)
    with pytest.raises(ValueError, match="would be empty"):
        node_split(graph(classes=(1, 1)), 0)
    with pytest.raises(ValueError, match="sum to at most 1"):
        node_split(graph(), 0, rule="stratified", fractions=(0.9, 0.9, 0.1))
    with pytest.raises(ValueError, match="overlap"):
        NodeSplit(np.array([1, 2]), np.array([2]), np.array([3]))
