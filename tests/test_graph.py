"""The data contract: cleaning of raw rows, ids, sensitive values, checks, checksum, PyG."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fairgl import load
from fairgl.graph import Graph, GraphError, canonical_edges, check, encode_sensitive, index_ids


def small(**changes) -> Graph:
    fields = {
        "name": "small",
        "x": np.array([[0, 1], [1, 0], [1, 3], [0, 2]], dtype=np.float32),
        "edges": np.array([[0, 1], [1, 2]]),
        "y": np.array([0, 1, -1, 1]),
        "sens": np.array([0, 1, 1, 0]),
        "sens_column": 0,
    }
    return Graph(**(fields | changes))


def test_rows_become_unordered_pairs_with_counts():
    edges, report = canonical_edges([[0, 1], [1, 0], [0, 1], [2, 2], [1, 2]], 3)
    assert edges.tolist() == [[0, 1], [1, 2]] and edges.dtype == np.int64
    assert report == {"rows_in_file": 5, "loops_removed": 1, "duplicates_removed": 2}


def test_no_edges_keep_shape_and_type():
    edges, report = canonical_edges([], 4)
    assert edges.shape == (0, 2) and edges.dtype == np.int64 and report["rows_in_file"] == 0
    graph = check(small(edges=edges))
    assert graph.adjacency().nnz == 0 and graph.edge_index().shape == (2, 0)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [([[0, 5]], "no row of the node"), ([[0.0, 1.0]], "integers"), ([[0, 1, 2]], "two columns"), ([[-1, 0]], "-1")],
)
def test_bad_edges_are_refused(pairs, message):
    with pytest.raises(GraphError, match=message):
        canonical_edges(np.array(pairs), 3)


def test_ids_become_rows_of_the_table():
    pairs = [[3, 4], [7, 3], [9, 12]]
    assert index_ids([3, 4, 7, 9, 12], pairs).tolist() == [[0, 1], [2, 0], [3, 4]]
    with pytest.raises(GraphError, match="12"):
        index_ids([3, 4, 7, 9], pairs)
    with pytest.raises(GraphError, match="no node table"):
        index_ids(None, pairs)
    with pytest.raises(GraphError, match="more than once"):
        index_ids([3, 4, 3], pairs)


def test_ids_beyond_float_precision_stay_apart():
    ids = np.array([2**53, 2**53 + 1], dtype=np.int64)
    assert index_ids(ids, ids[None, :]).tolist() == [[0, 1]]


MISSING = [None, float("nan")]


@pytest.mark.parametrize("gap", MISSING)
@pytest.mark.parametrize("kind", [list, lambda v: np.array(v, dtype=object), pd.Series])
def test_missing_sensitive_value_is_an_error_or_counted(gap, kind):
    values = kind(["a", "a", "b", "b", gap])
    with pytest.raises(GraphError, match=r"'race' is missing for 1 of 5"):
        encode_sensitive(values, "race")
    coded = encode_sensitive(values, "race", missing="drop")
    assert coded.codes.tolist() == [0, 0, 1, 1] and coded.labels == ("a", "b")
    assert coded.dropped == 1 and coded.kept.tolist() == [True] * 4 + [False]


def test_sensitive_values_keep_their_names_in_order():
    assert encode_sensitive([2.0, 0.0, 10.0], "level").labels == ("0", "2", "10")
    with pytest.raises(ValueError, match="'error' or 'drop'"):
        encode_sensitive([1], "x", missing="ignore")


def test_which_column_is_sensitive():
    features = np.array([[1, 0], [0, 0], [1, 1]], dtype=np.float32)  # WHITE, ALCHY
    graph = Graph("bail", features, np.zeros((0, 2), np.int64), None, np.array([1, 0, 1]), sens_name="WHITE")
    assert check(graph.replace(sens_column=0)).sens_column == 0
    with pytest.raises(GraphError, match="column 1 of x is not WHITE"):
        check(graph.replace(sens_column=1))
    with pytest.raises(GraphError, match="column 0 of x is WHITE"):
        check(graph)
    # The complement gives the attribute away just as well, also in a sparse matrix.
    with pytest.raises(GraphError, match="column 0 of x is WHITE"):
        check(graph.replace(x=sp.csr_array(1 - features)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": np.zeros((4, 2))}, "float32"),
        ({"x": np.full((4, 2), np.nan, np.float32), "sens_column": None}, "not finite"),
        ({"edges": np.array([[1, 0]])}, "u < v"),
        ({"edges": np.array([[1, 2], [0, 1]])}, "lexicographic"),
        ({"sens": np.array([0, 1, 2, 0])}, "0 .. 1"),
        ({"sens": np.array([0, 1])}, r"int64 \[4\]"),
        ({"y": np.array([0, 1, 2, 3])}, "binary"),
        ({"feature_names": ("one",)}, "1 feature names for 2"),
    ],
)
def test_check_names_what_is_wrong(change, message):
    with pytest.raises(GraphError, match=message):
        check(small(**change))


def test_adjacency_and_edge_index():
    graph = small()
    assert graph.edge_index().tolist() == [[0, 1, 1, 2], [1, 2, 0, 1]]
    matrix = graph.adjacency(loops=True)
    assert matrix.dtype == np.float32 and (matrix != matrix.T).nnz == 0 and matrix.diagonal().tolist() == [1] * 4
    assert graph.degree().tolist() == [1, 2, 1, 0]


def test_checksum_sees_content_only():
    graph = small()
    assert graph.checksum() == small(name="other", card={"a": 1}).checksum()
    assert graph.replace(x=sp.csr_array(graph.x)).checksum() != small(sens=1 - graph.sens).checksum()
    for change in ({"y": None}, {"sens_column": None}, {"edges": graph.edges[:1]}, {"x": graph.x + 1}):
        assert graph.checksum() != graph.replace(**change).checksum()


def test_summary_counts():
    counts = small(sens_labels=("p", "q")).summary()
    assert counts["isolated"] == 1 and counts["groups"] == {"p": 2, "q": 2} and counts["labelled"] == 3
    assert counts["same_group_edges"] == 0.5 and counts["positive_by_group"] == {"p": 1, "q": 1}


def test_pyg_round_trip():
    graph = small()
    data = graph.to_pyg()
    assert data.num_nodes == 4 and data.edge_index.shape == (2, 4)
    back = Graph.from_pyg(data, name="small")
    assert back.checksum() == graph.checksum()
    data.x[:, 0] = 7 - 2 * data.x[:, 0]
    assert Graph.from_pyg(data, name="small").x[:, 0].tolist() == graph.sens.tolist()
    with pytest.raises(GraphError, match="no sensitive attribute"):
        del data.sens
        Graph.from_pyg(data)


def write(folder, nodes, edges):
    (folder / "nodes.csv").write_text(nodes)
    (folder / "edges.csv").write_text(edges)
    return str(folder)


def test_a_users_folder(tmp_path):
    big = 2**60
    nodes = f"id,label,sensitive,f1,f2\n{big},1,f,0.5,1\n{big + 1},0,m,2,3\n9,,m,1,1\n"
    path = write(tmp_path, nodes, f"a,b\n{big},{big + 1}\n{big + 1},{big}\n9,9\n")
    graph = load(path)
    assert graph.edges.tolist() == [[0, 1]] and graph.y.tolist() == [1, 0, -1] and graph.sens_labels == ("f", "m")
    assert graph.card["loops_removed"] == 1 and graph.card["duplicates_removed"] == 1
    assert graph.sens_column is None and load(path, sensitive_feature=True).sens_column == 2
    (tmp_path / "nodes.csv").write_text("id,sensitive,f1,woman\n1,f,7,1\n2,m,3,0\n3,m,7,0\n")
    (tmp_path / "edges.csv").write_text("u,v\n1,2\n")
    assert load(path).sens_column == 1 and load(path).y is None
    assert load(path).feature_names == ("f1", "sensitive") and load(path).x[:, 1].tolist() == [0, 1, 1]
    with pytest.raises(TypeError, match="label"):
        load(path, target="x")


def test_a_users_folder_with_faults(tmp_path):
    with pytest.raises(GraphError, match=r"no nodes\.csv"):
        load(str(tmp_path))
    good = "id,label,sensitive,f\n1,1,a,0\n2,0,b,1\n"
    with pytest.raises(GraphError, match="3"):
        load(write(tmp_path, good, "u,v\n1,3\n"))
    with pytest.raises(GraphError, match="no column sensitive"):
        load(write(tmp_path, good.replace("sensitive", "group"), "u,v\n1,2\n"))
    gap = "id,label,sensitive,f\n1,1,a,0\n2,0,,1\n3,1,b,2\n"
    with pytest.raises(GraphError, match="missing for 1 of 3"):
        load(write(tmp_path, gap, "u,v\n1,2\n1,3\n"))
    graph = load(str(tmp_path), missing="drop")
    assert graph.num_nodes == 2 and graph.edges.tolist() == [[0, 1]] and graph.card["dropped_nodes"] == 1
    with pytest.raises(GraphError, match="numbers without gaps.*: f"):
        load(write(tmp_path, "id,sensitive,f\n1,a,red\n2,b,blue\n", "u,v\n1,2\n"))
