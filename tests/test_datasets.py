"""Every registered data set keeps the contract; derived and generated ones equal what was published."""

from __future__ import annotations

import csv
import inspect
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fairgl import load
from fairgl.datasets import chameleon, garn
from fairgl.datasets.credit import age_groups, credit_table, uci_table
from fairgl.datasets.gear_synthetic import GearModel
from fairgl.datasets.german import german_table
from fairgl.datasheets import at_hand, page, refreshed
from fairgl.fetch import digest
from fairgl.graph import attribute_columns
from fairgl.paths import cache, published, raw
from fairgl.registry import DATASETS
from fairgl.sources import Source, sources
from fairgl.splits import node_split

CASES = [
    (name, {"task": task} if "task" in inspect.signature(loader).parameters else {})
    for name, loader in DATASETS.items()
    for task in loader.tasks
]
MORE = [
    ("credit", {"age_bins": 10}),
    ("credit", {"sensitive": "EducationLevel"}),
    ("gear-synthetic", {"shipped": True}),
    ("garn", {"attribute": "borgatti-everett"}),
    ("dpah", {"minority": 0.05, "majority_homophily": 1.0}),
]


def absent(name, references=False):
    """Why a data set cannot be loaded here, or an empty text."""
    files = [row for row in sources() if row.dataset == name and (references or row.role == "needed")]
    gone = [row.file for row in files if not (cache() / row.file).exists()]
    return f"{', '.join(gone)} not in the data folder (FAIRGL_DATA)" if gone else ""


def here(name, references=False, **parameters):
    """A data set, or a skipped test where its files are absent: tests never download."""
    if reason := absent(name, references or parameters.get("shipped", False)):
        pytest.skip(reason)
    return load(name, **parameters)


@pytest.mark.parametrize(("name", "parameters"), CASES + MORE)
def test_contract(name, parameters):
    graph = here(name, **parameters)  # load() runs check()
    assert graph.name == name and graph.num_nodes > 100 and graph.num_edges > 100
    assert set(np.unique(graph.sens)) == set(range(graph.num_groups))
    assert all(graph.sens_labels) and len(set(graph.sens_labels)) == graph.num_groups
    # Which column is sensitive: the declared one equals the attribute on every row, or no column does.
    found = attribute_columns(graph.x, graph.sens).tolist()
    assert (graph.sens_column in found) if graph.sens_column is not None else not found
    # Isolated nodes are kept, loops are not.
    assert (graph.edges[:, 0] < graph.edges[:, 1]).all()
    assert graph.summary()["isolated"] == graph.num_nodes - len(np.unique(graph.edges))
    card = graph.card
    assert card["source"] and card["licence"] and card["edges_how"]
    assert card["rows_in_file"] == graph.num_edges + card["loops_removed"] + card["duplicates_removed"]
    assert card.get("published_nodes", graph.num_nodes) == graph.num_nodes
    assert graph.checksum() == load(name, **parameters).checksum()
    if graph.y is not None:
        assert set(np.unique(graph.y)) <= {-1, 0, 1} and graph.label_name and graph.label_meaning
        split = node_split(graph, 0)
        joined = np.concatenate([split.train, split.val, split.test])
        assert len(np.unique(joined)) == len(joined) and (graph.y[joined] >= 0).all()


def test_names_aliases_and_parameters():
    assert DATASETS.resolve("bail") == "recidivism"
    with pytest.raises(ValueError, match="Did you mean 'german'.*credit.*german"):
        load("germann")
    with pytest.raises(TypeError, match="no parameter taks. Valid: task"):
        load("german", taks="nodes")
    with pytest.raises(ValueError, match="'nodes', 'links'"):
        load("german", task="edges")
    with pytest.raises(ValueError, match="age_bins must be one of 0, 2"):
        load("credit", age_bins=11)
    for name, loader in DATASETS.items():
        assert loader.title and loader.licence and loader.kind in ("shipped", "fetched", "generated"), name
        assert set(loader.tasks) <= {"nodes", "links"} and loader.tasks, name


def test_a_caller_cannot_change_what_others_load():
    first = load("german")
    first.x[:] = 0
    assert load("german").x.sum() != 0


def test_shipped_tables_are_small():
    for file in ("german.data.gz", "UCI_Credit_Card.csv.gz"):
        assert (raw() / file).stat().st_size < 2 * 2**20


# --- counts -----------------------------------------------------------------------------------------------------------

LINKS = {  # nodes, edges, features, group sizes, edges between groups 00, 01, 11: the study's tables, rebuilt
    "credit": (30000, 137377, 13, (27315, 2685), (119182, 16627, 1568)),
    "facebook": (1045, 26749, 574, (688, 357), (11830, 11351, 3568)),
    "german": (1000, 21742, 27, (690, 310), (13339, 4244, 4159)),
    "nba": (403, 10621, 96, (296, 107), (6720, 2935, 966)),
    "garn": (7698, 18858, 5, (6910, 788), (997, 5089, 12772)),
    "chameleon": (890, 8854, 2326, (615, 275), (3124, 4467, 1263)),
}


@pytest.mark.parametrize("name", LINKS)
def test_link_study_counts(name):
    graph = here(name, task="links")
    nodes, edges, features, groups, types = LINKS[name]
    assert (graph.num_nodes, graph.num_edges, graph.num_features) == (nodes, edges, features)
    assert tuple(np.bincount(graph.sens)) == groups
    assert tuple(np.bincount(graph.sens[graph.edges].sum(axis=1))) == types


@pytest.mark.parametrize(
    ("name", "rows", "edges", "positive"),
    [("german", 24_970, 21_742, 700), ("credit", 200_526, 137_377, 23_364), ("recidivism", 403_977, 311_870, 7_104)],
)
def test_benchmark_counts(name, rows, edges, positive):
    counts = here(name).summary()
    assert (counts["rows_in_file"], counts["edges"], counts["positive"]) == (rows, edges, positive)
    assert counts["rows_in_file"] == counts["published_edges"]


def test_nba_ids_and_labels():
    counts = here("nba").summary()
    assert counts["rows_in_file"] == 16_570 and counts["labelled"] == 313 and counts["isolated"] == 3


# --- derived tables ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "file"),
    [(german_table, "german/german.csv"), (lambda: credit_table(uci_table()), "credit/credit.csv")],
)
def test_columns_equal_the_published_ones(ours, file):
    if not (cache() / file).exists():
        pytest.skip(f"{file} not in the data folder (FAIRGL_DATA)")
    pd.testing.assert_frame_equal(ours(), pd.read_csv(cache() / file), check_dtype=False)


def test_german_columns_that_do_not_mean_what_they_say():
    table = german_table()
    assert table["ForeignWorker"].sum() == 37 and table["OtherLoansAtStore"].sum() == 0
    assert table["MissedPayments"].sum() == 912


@pytest.mark.parametrize("bins", range(2, 11))
def test_age_bins(bins):
    ages = uci_table()["AGE"]
    group, names = age_groups(ages, bins)
    assert len(names) == bins and np.bincount(group).min() > 0.5 * 30_000 / bins
    bounds = [(ages[group == g].min(), ages[group == g].max()) for g in range(bins)]
    assert all(a[1] < b[0] for a, b in zip(bounds, bounds[1:], strict=False))


def test_age_bins_leave_the_graph_alone():
    graph, plain = load("credit", age_bins=10), load("credit")
    assert np.array_equal(graph.edges, plain.edges) and np.array_equal(graph.x, plain.x)
    assert graph.sens_column is None and graph.sens_labels[0] == "21-25"


def test_education_groups():
    graph = load("credit", task="links", sensitive="EducationLevel")
    assert tuple(np.bincount(graph.sens)) == (18_947, 10_585, 468) and graph.num_features == 12


# --- attributes made by the studies -----------------------------------------------------------------------------------


def test_most_crossed_classes():
    assert chameleon.most_crossed(np.array([0, 1, 2, 2]), np.array([[0, 2], [1, 2], [1, 3], [2, 3]])) == (2,)
    assert here("chameleon").sens_labels[1] == "classes 1, 4"


def exhaustive_core(edges, nodes):
    best = max(
        range(1, 2**nodes - 1),
        key=lambda code: correlation(np.array([code >> i & 1 for i in range(nodes)]), edges),
    )
    return np.array([best >> i & 1 for i in range(nodes)])


def correlation(core, edges):
    """Straight from the definition: correlation of two 0/1 vectors over all pairs."""
    nodes = len(core)
    i, j = np.triu_indices(nodes, 1)
    linked = sp.coo_array((np.ones(len(edges)), edges.T), shape=(nodes, nodes)).toarray()[i, j]
    ideal = (core[i] | core[j]).astype(float)
    return np.corrcoef(linked, ideal)[0, 1] if ideal.std() > 0 else -1.0


def test_core_correlation_from_counts():
    draw = np.random.default_rng(0)
    for _ in range(20):
        edges = np.argwhere(np.triu(draw.random((9, 9)) < 0.4, 1))
        core = (draw.random(9) < 0.4).astype(int)
        if 0 < core.sum() < 8 and len(edges):
            covered = core[edges].any(axis=1).sum()
            ours = garn.core_correlation(core.sum(), covered, 9, len(edges))
            assert ours == pytest.approx(correlation(core, edges))


def test_core_periphery_is_near_the_best():
    draw = np.random.default_rng(1)
    exact = []
    for _ in range(20):
        edges = np.argwhere(np.triu(draw.random((8, 8)) < draw.choice([0.2, 0.4]), 1))
        ours, best = garn.core_periphery(edges, 8), exhaustive_core(edges, 8)
        exact.append(correlation(ours, edges) / correlation(best, edges))
    assert min(exact) > 0.9 and np.mean(np.array(exact) > 0.9999) >= 0.9
    star = np.array([[0, i] for i in range(1, 9)])
    assert garn.core_periphery(star, 9).tolist() == [1] + [0] * 8


def test_garn_core():
    graph = here("garn", attribute="borgatti-everett")
    core, edges = graph.sens.astype(bool), graph.edges
    assert 90 <= core.sum() <= 120
    covered = core[edges].any(axis=1).sum()
    ours = garn.core_correlation(core.sum(), covered, graph.num_nodes, graph.num_edges)
    degree = np.argsort(-graph.degree(), kind="stable")
    for size in range(1, 400):
        top = np.zeros(graph.num_nodes, bool)
        top[degree[:size]] = True
        assert garn.core_correlation(size, top[edges].any(axis=1).sum(), graph.num_nodes, graph.num_edges) <= ours


# --- generators -------------------------------------------------------------------------------------------------------

with open(published() / "moral_reproduction_dpah_recomputed.csv", newline="") as _file:
    DPAH = [row for row in csv.DictReader(_file) if row["seed"] == "0"][7::130]


@pytest.mark.parametrize("row", DPAH, ids=lambda row: f"{row['fm']}-{row['hMM']}-{row['hmm']}")
def test_dpah_equals_the_published_graphs(row):
    setting = {"minority": "fm", "majority_homophily": "hMM", "minority_homophily": "hmm"}
    graph = load("dpah", **{key: float(row[column]) for key, column in setting.items()})
    assert graph.summary()["same_group_edges"] == pytest.approx(float(row["h_edge"]), abs=1e-7)
    assert 5_803 <= graph.num_edges <= 5_966 and graph.sens_column is None


def test_dpah_refuses_impossible_settings():
    with pytest.raises(ValueError, match="minority"):
        load("dpah", minority=0.0)
    with pytest.raises(ValueError, match="homophily"):
        load("dpah", majority_homophily=1.5)


def test_gear_equations_rebuild_the_shipped_file():
    if reason := absent("gear-synthetic", references=True):
        pytest.skip(reason)
    from scipy.io import loadmat

    file = loadmat(cache() / "gear_synthetic/synthetic.mat")
    graph = load("gear-synthetic", shipped=True)
    assert np.abs(graph.x[:, 1:] - file["x"]).max() < 1e-6
    assert (graph.adjacency(loops=True) != sp.csr_array(file["adj"]).astype(np.float32)).nnz == 0
    assert np.array_equal(graph.y, file["labels"].ravel()) and np.array_equal(graph.sens, file["sens"].ravel())
    model = GearModel.from_mat()
    for value, labels in ((0, 37), (1, 46)):
        other = model.graph(np.full(2000, value))
        moved = set(map(tuple, other.edges)) ^ set(map(tuple, graph.edges))
        assert len(moved) == 474 and (other.y != graph.y).sum() == labels


def test_gear_draws_follow_the_equations():
    graph = load("gear-synthetic", seed=3)
    assert load("gear-synthetic", seed=4).checksum() != graph.checksum()
    model = GearModel.draw(3, nodes=60)
    world = model.graph()
    unit = model.z / np.linalg.norm(model.z, axis=1, keepdims=True)
    similar = unit @ unit.T + 0.01 * (model.s[:, None] == model.s)
    assert np.array_equal(world.edges, np.argwhere(np.triu(similar >= 0.4, 1)))
    linked = (similar >= 0.4) | np.eye(60, dtype=bool)
    scores = model.z @ model.w + linked @ model.s / linked.sum(axis=1)
    assert np.array_equal(world.y, scores > scores.mean())
    assert np.allclose(world.x[:, 1:], model.z[:, model.columns] + np.outer(model.s, model.v), atol=1e-6)


def test_gear_group_hardly_moves_labels():
    if reason := absent("gear-synthetic", references=True):
        pytest.skip(reason)
    model = GearModel.from_mat()
    plain = replace(model, w_s=0.0)
    assert ((model.scores() > model.threshold()) != (plain.scores() > plain.threshold())).sum() == 12


# --- datasheets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DATASETS.names())
def test_datasheet(name):
    assert page(name).exists(), f"write {page(name)}: every data set has a datasheet"
    text = page(name).read_text(encoding="utf8")
    for heading in ("Source and licence", "How the edges were made", "Groups", "Counts", "Who could be harmed"):
        assert f"\n## {heading}\n" in text, heading
    if "nodes" in DATASETS[name].tasks:
        assert "\n## Label\n" in text
    if not at_hand(name):
        pytest.skip(absent(name))
    assert refreshed(text, name) == text, "run fairgl.datasheets.refresh()"


def test_what_the_datasheets_say_about_columns():
    raw_german = pd.read_csv(raw() / "german.data.gz", sep=" ", header=None)
    assert (raw_german[13] == "A142").sum() == 47 and (raw_german[8] == "A95").sum() == 0
    graph = here("recidivism")
    returned = graph.x[:, graph.feature_names.index("TIME")] > 0
    assert (returned == (graph.y == 1)).mean() > 0.99  # the time until the return is a feature


# --- loaders whose files are not at hand: small files of the same format ----------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An own data folder and a way to file made-up content in it under a pinned name."""
    import fairgl.fetch as fetch

    monkeypatch.setenv("FAIRGL_DATA", str(tmp_path))
    table: dict[str, Source] = {row.file: row for row in sources()}

    def put(file, content):
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        known = table[file]
        table[file] = Source(known.dataset, file, known.role, known.url, sha256=digest(path))

    monkeypatch.setattr(fetch, "sources", lambda: tuple(table.values()))
    return put


@pytest.mark.parametrize(("name", "stem"), [("pokec-z", "region_job"), ("pokec-n", "region_job_2")])
def test_pokec_format(folder, name, stem):
    header = "user_id,public,completion_percentage,gender,region,AGE,I_am_working_in_field"
    rows = ["9007199254740993,1,50,1,0,20,-1", "9007199254740992,0,70,0,1,31,0", "5,1,12,0,0,25,3", "7,1,1,1,1,40,1"]
    folder(f"pokec/{stem}.csv", "\n".join([header, *rows]) + "\n")
    lines = ["9007199254740993\t9007199254740992", "9007199254740992\t9007199254740993", "5\t7", "7\t7"]
    folder(f"pokec/{stem}_relationship.txt", "\n".join(lines) + "\n")
    graph = load(name)
    assert graph.y.tolist() == [-1, 0, 1, 1] and graph.sens.tolist() == [0, 1, 0, 1] and graph.sens_name == "region"
    assert graph.edges.tolist() == [[0, 1], [2, 3]] and graph.card["loops_removed"] == 1
    assert graph.feature_names == ("public", "completion_percentage", "gender", "AGE", "region")
    links = load(name, task="links")
    assert links.y is None and links.sens.tolist() == [1, 0, 0, 1] and links.sens_column == 4
    assert links.feature_names == ("public", "completion_percentage", "region", "AGE", "gender")


def aminer_files(tmp_path, suffix):
    features = tmp_path / "x.npz"
    np.savez(features, data=np.array([1.0, 2, 1, 4]), row=np.array([0, 1, 2, 3]), col=np.array([0, 2, 1, 2]))
    return {
        f"edgelist_{suffix}.txt": b"0\t1\n1\t0\n2\t3\n",
        f"labels_{suffix}.txt": b"0\t7.0\n2\t7.0\n1\t5.0\n3\t2.0\n",
        f"sens_{suffix}.txt": b"0\t1.0\n1\t0.0\n2\t4.0\n3\t0.0\n",
        f"X_{suffix}.npz": features.read_bytes(),
    }


def expect_aminer(graph):
    assert sp.issparse(graph.x) and graph.x.shape == (4, 4) and graph.x.toarray()[:, 3].tolist() == [1, 0, 4, 0]
    assert graph.y.tolist() == [1, 0, 1, 0] and graph.sens.tolist() == [1, 0, 2, 0] and graph.sens_column == 3
    assert graph.sens_labels == ("continent 0", "continent 1", "continent 4")
    assert graph.edges.tolist() == [[0, 1], [2, 3]] and "number 7" in graph.label_meaning


def test_aminer_s_format(folder, tmp_path):
    for file, content in aminer_files(tmp_path, "Small").items():
        folder(f"aminer_s/{file}", content)
    expect_aminer(load("aminer-s"))


def test_aminer_l_format(folder, tmp_path):
    with zipfile.ZipFile(tmp_path / "raw.zip", "w") as archive:
        for file, content in aminer_files(tmp_path, "LCC").items():
            archive.writestr(f"raw_LCC/{file}", content)
    folder("aminer_l/raw_LCC.zip", (tmp_path / "raw.zip").read_bytes())
    expect_aminer(load("aminer-l"))


def test_aminer_s_labels_as_published():
    files = [cache() / f"aminer_s/{part}_Small.txt" for part in ("labels", "sens", "edgelist")]
    if not all(file.exists() for file in files):
        pytest.skip("aminer_s files not in the data folder (FAIRGL_DATA)")
    labels, groups, rows = (np.loadtxt(file, dtype=float).astype(int) for file in files)
    share = (labels[:, 1] == np.bincount(labels[:, 1]).argmax()).mean()
    assert len(labels) == 39_424 and len(rows) == 52_460 and round(share, 3) == 0.197
    assert np.bincount(groups[:, 1]).tolist() == [15_893, 13_617, 7_499, 809, 844, 245, 517]
