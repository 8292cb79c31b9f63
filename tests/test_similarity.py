"""The similarity graph: against all pairs on small tables, and the published files where they are present."""

from __future__ import annotations

import io
import time
import zipfile

import numpy as np
import pandas as pd
import pytest

from fairgl.datasets.credit import credit_table, uci_table
from fairgl.datasets.german import LEFT_OUT, german_table
from fairgl.paths import cache
from fairgl.similarity import similarity_edges, spread_to_unit


def by_all_pairs(table, threshold):
    """The published way: a table of all similarities, the second-largest entry of each row as its best."""
    distance = np.sqrt(((table[:, None, :] - table[None, :, :]) ** 2).sum(-1))
    similar = 1 / (1 + distance)
    best = np.sort(similar, axis=1)[:, -2]
    linked = similar > threshold * best[:, None]
    np.fill_diagonal(linked, False)
    return np.argwhere(linked)


@pytest.mark.parametrize("seed", range(20))
def test_equals_all_pairs(seed):
    draw = np.random.default_rng(seed)
    table = draw.integers(0, 4, size=(60, 3)) * draw.choice([0.5, 1.0, 3.0])
    if seed % 2:
        table = table + draw.standard_normal(table.shape)
    for threshold in (0.3, 0.6, 0.8, 1.0):
        assert np.array_equal(similarity_edges(table, threshold, block=7), by_all_pairs(table, threshold))


def test_equal_rows():
    assert similarity_edges(np.ones((3, 2)), 0.8).tolist() == [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]


@pytest.mark.parametrize(
    ("table", "threshold", "message"),
    [(np.ones((1, 2)), 0.5, "at least 2"), (np.array([[np.nan], [1]]), 0.5, "1 entries"), (np.eye(2), 0, "threshold")],
)
def test_bad_input(table, threshold, message):
    with pytest.raises(ValueError, match=message):
        similarity_edges(table, threshold)


def test_spread():
    assert spread_to_unit([1, 2, 3]).tolist() == [-1, 0, 1] and spread_to_unit([4, 4]).tolist() == [0, 0]


def german_rows():
    table = german_table()
    rows = table.drop(columns=LEFT_OUT).assign(Gender=(table["Gender"] == "Female")).astype(float)
    for column in ("LoanAmount", "Age", "LoanDuration"):
        rows[column] = spread_to_unit(rows[column])
    return rows.to_numpy()


def present(*files):
    absent = [file for file in files if not (cache() / file).exists()]
    if absent:
        pytest.skip(f"{', '.join(absent)} not in the data folder (FAIRGL_DATA)")
    return [cache() / file for file in files]


def pairs(edges):
    return set(map(tuple, edges.tolist()))


def test_shipped_graphs_have_the_published_counts_in_time():
    start = time.perf_counter()
    german = similarity_edges(german_rows(), 0.8)
    credit = similarity_edges(credit_table(uci_table()).drop(columns=["NoDefaultNextMonth", "Single"]).to_numpy(), 0.7)
    assert time.perf_counter() - start < 10
    assert len(german) == 24_970 and len(np.unique(np.sort(german, axis=1), axis=0)) == 21_742
    assert len(credit) == 200_526 and len(np.unique(np.sort(credit, axis=1), axis=0)) == 137_377


def test_german_edges_are_the_published_ones():
    (file,) = present("german/german_edges.txt")
    assert pairs(similarity_edges(german_rows(), 0.8)) == pairs(np.loadtxt(file).astype(int))


def test_credit_edges_are_the_published_ones():
    files = present(*(f"credit/{part}_edges.csv" for part in ("train", "val", "test")))
    published = np.concatenate([pd.read_csv(file).to_numpy()[:, 1:] for file in files])
    ours = similarity_edges(credit_table(uci_table()).drop(columns=["NoDefaultNextMonth", "Single"]).to_numpy(), 0.7)
    assert pairs(ours) == pairs(published)


def test_bail_edges_are_the_published_ones():
    table, archive = present("bail/bail.csv", "bail/bail.zip")
    ours = similarity_edges(pd.read_csv(table).drop(columns="RECID").to_numpy(), 0.6)
    with zipfile.ZipFile(archive) as file:
        text = io.StringIO(file.read("bail/bail_edges.txt").decode())
    published = pd.read_csv(text, sep=" ", header=None).to_numpy().astype(int)
    assert len(ours) == 403_977 and len(np.unique(np.sort(ours, axis=1), axis=0)) == 311_870
    assert pairs(ours) == pairs(published)
