"""Studies of link prediction: their grids, their keys, and that every run they ask for is valid."""

import csv
import importlib.util
from collections import Counter

import pytest

from fairgl import store
from fairgl.paths import root
from fairgl.registry import LINK_METHODS
from fairgl.studies import study

NAMES = ("links", "links_schedule", "links_one_way", "links_full_graph", "links_cores", "dpah", "categories")


@pytest.mark.parametrize("name", NAMES)
def test_every_run_can_be_configured_and_has_its_own_key(name):
    specs = study(name).specs()
    assert specs and len({spec.key for spec in specs}) == len(specs)
    for spec in specs:
        assert spec.task == "links"
        LINK_METHODS[spec.method].configure(spec.config)


def test_authors_values_and_the_study_s_meet_in_one_configuration():
    (spec,) = study("links_full_graph").specs(datasets=["german"], seeds=1)
    assert spec.config == {"eta": 0.05, "full_graph": True}


def test_a_study_of_many_records_keeps_the_lists_that_it_shows():
    metrics = {"auc": 0.9, "hits@100": 0.5, "ndkl@20.moral": 1.0, "ndkl@1000.moral": 2.0, "dp@20.none.reason": "none"}
    assert set(study("dpah").kept(metrics)) == {"auc", "hits@100", "ndkl@1000.moral"}
    assert study("links").kept(metrics) == metrics
    kept = next(result for result, _ in store.records("dpah"))["metrics"]["test"]
    assert kept == study("dpah").kept(kept) and "precision@1000.moral" in kept


def test_grids():
    counts = Counter((spec.dataset_config["minority"], spec.seed) for spec in study("dpah").specs())
    assert set(counts.values()) == {121} and len(counts) == 18
    bins = [spec.dataset_config.get("age_bins") for spec in study("categories").specs(methods=["single-gcn"])]
    assert set(bins) == {None, *range(2, 11)} and len(bins) == 10
    assert len(study("categories").specs(methods=["decoupled"])) == 10
    assert [spec.seed for spec in study("links").specs()] == sorted(spec.seed for spec in study("links").specs())


def test_energy_of_a_short_fit():
    path = root() / "benchmarks" / "energy.py"
    if not path.exists():
        pytest.skip("benchmarks are not installed here")
    pytest.importorskip("codecarbon")
    spec = importlib.util.spec_from_file_location("energy", path)
    energy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(energy)
    row = energy.measure("german", "NLD", {"schedule": "fast", "epochs": 2})
    assert tuple(row) == energy.FIELDS and row["epochs"] == 2
    assert row["kwh"] > 0 and row["kgco2eq"] > 0 and row["grams_per_kwh"] > 50
    with (root() / "benchmarks" / "energy.csv").open(encoding="utf8") as file:
        stored = list(csv.DictReader(file))
    assert stored and tuple(stored[0]) == energy.FIELDS
