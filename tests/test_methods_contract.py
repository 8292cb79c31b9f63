"""What every node method promises, checked on a generated graph of sixty nodes.

Registering a method is enough to be tested here. Methods that train by epochs are cut to a few.
"""

import re

import numpy as np
import pytest

from fairgl.graph import Graph, canonical_edges, check
from fairgl.methods import FAMILIES, NOTIONS
from fairgl.paths import root
from fairgl.registry import NODE_METHODS
from fairgl.splits import NodeSplit

NAMES = NODE_METHODS.names()
FEW = {"epochs": 6, "per_node": 2, "length": 6, "skipgram_epochs": 1, "dim": 8}  # and every other "..._epochs"


def quick(name, **more):
    """The method with few epochs and short walks."""
    method, settings = NODE_METHODS[name], {}
    for key, value in method.defaults().items():
        if key in FEW or (key.endswith("epochs") and isinstance(value, int)):
            settings[key] = FEW.get(key, 6)
    return method.configure({**settings, **more})


def make(groups=2, seed=0):
    """Sixty nodes; labels and groups depend on features, edges on groups; the last three nodes have no edge."""
    rng = np.random.default_rng(seed)
    n = 60
    sens = np.arange(n) % groups
    x = rng.standard_normal((n, 5)).astype(np.float32)
    x[:, 1] = sens
    x[:, 4] = 1.0  # a constant column
    y = (x[:, 0] + 0.5 * sens + 0.3 * rng.standard_normal(n) > 0.2).astype(np.int64)
    pairs = rng.integers(0, n - 3, (400, 2))
    pairs = pairs[(sens[pairs[:, 0]] == sens[pairs[:, 1]]) | (rng.random(400) < 0.3)][:150]
    labels = tuple("abcdef"[:groups])
    edges = canonical_edges(pairs, n)[0]
    return check(Graph("sixty", x, edges, y, sens.astype(np.int64), sens_labels=labels, sens_column=1))


def parts(graph):
    """Train, validation, test and unused nodes, each with both labels and an isolated node in test."""
    order = np.random.default_rng(1).permutation(57)
    return NodeSplit(order[:24], order[24:42], np.append(order[42:54], [57, 58]))


def hidden(graph, split, fill=None):
    """The graph with the labels outside train and validation replaced, by -1 unless ``fill`` is given."""
    y = np.full(graph.num_nodes, -1) if fill is None else fill.copy()
    known = np.concatenate([split.train, split.val])
    y[known] = graph.y[known]
    return graph.replace(y=y)


def fit(name, graph, seed=0, **more):
    split = parts(graph)
    return quick(name, **more).fit(hidden(graph, split), split, seed)


@pytest.fixture(scope="module", params=NAMES)
def fitted(request):
    """A method's name, a graph with two groups, and the scores of one short fit."""
    graph = make()
    assert quick(request.param).skip(graph) is None
    return request.param, graph, fit(request.param, graph)


def test_scores_are_finite_and_one_per_node(fitted):
    _, graph, scores = fitted
    assert scores.logits.shape == (60,) and scores.logits.dtype == np.float64
    assert np.isfinite(scores.logits).all()  # isolated and constant columns included
    assert scores.val_loss is None or np.isfinite(scores.val_loss)
    assert scores.epoch is None or isinstance(scores.epoch, int)
    assert scores.embedding is None or len(scores.embedding) == 60


def test_same_seed_same_scores(fitted):
    name, graph, scores = fitted
    again = fit(name, graph)
    np.testing.assert_array_equal(scores.logits, again.logits)
    assert scores.val_loss == again.val_loss and scores.epoch == again.epoch


def test_labels_outside_train_and_validation_change_nothing(fitted):
    name, graph, scores = fitted
    if name == "constant":
        pytest.skip("counts every label it is shown; the runner shows none of the test part")
    split = parts(graph)
    shuffled = np.random.default_rng(5).permutation(graph.y)
    other = quick(name).fit(hidden(graph, split, fill=shuffled), split, 0)
    np.testing.assert_array_equal(scores.logits, other.logits)


def test_fit_changes_neither_graph_nor_global_generator(fitted):
    name, graph, _ = fitted
    before, state = graph.checksum(), np.random.get_state()[1].copy()  # noqa: NPY002
    fit(name, graph)
    assert graph.checksum() == before
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_predict_on_the_same_graph_gives_the_scores(fitted):
    _, graph, scores = fitted
    if scores.predict is None:
        pytest.skip("scores other graphs only after another fit")
    np.testing.assert_allclose(scores.predict(graph), scores.logits, atol=1e-4, rtol=1e-4)
    fewer = graph.replace(edges=graph.edges[::2])
    assert np.isfinite(scores.predict(fewer)).all()


def test_diagnostics_are_plain(fitted):
    import json

    _, _, scores = fitted
    json.dumps(scores.diagnostics, default=lambda value: value.item())


@pytest.mark.parametrize("name", NAMES)
def test_more_than_two_groups_work_or_are_skipped_with_a_reason(name):
    graph = make(groups=3)
    reason = quick(name).skip(graph)
    assert reason is None or (isinstance(reason, str) and reason)
    if reason is None:
        assert np.isfinite(fit(name, graph).logits).all()


@pytest.mark.parametrize("name", NAMES)
def test_attribute_that_is_no_feature_works_or_is_skipped(name):
    graph = make()
    x = np.delete(graph.x, graph.sens_column, axis=1)
    graph = check(graph.replace(x=x, sens_column=None))
    if quick(name).skip(graph) is None:
        assert np.isfinite(fit(name, graph).logits).all()


@pytest.mark.parametrize("name", NAMES)
def test_facts_of_the_method(name):
    method = NODE_METHODS[name]
    assert method.label and method.family in FAMILIES and method.notion in NOTIONS
    assert method.__doc__ and not method.__doc__.startswith(f"{method.__name__}(")
    sources = method.sources()
    assert all(sources.values()), [key for key, source in sources.items() if not source]
    for key, values in method.search_space().items():
        assert len(values) > 1
        for value in values:
            method.configure({key: value})
    for settings in method.dataset_settings.values():
        method.configure(settings)


@pytest.mark.parametrize("name", NAMES)
def test_wrong_settings_are_refused(name):
    method = NODE_METHODS[name]
    with pytest.raises(ValueError, match="no_such_setting"):
        method.configure({"no_such_setting": 1})
    for key, value in method.defaults().items():
        if isinstance(value, int | float):
            with pytest.raises(TypeError, match=key):
                method.configure({key: "text"})


@pytest.mark.parametrize("name", NAMES)
def test_reference_is_in_the_bibliography(name):
    bibliography = root() / "book" / "references.bib"
    if not bibliography.exists():
        pytest.skip("no bibliography here")
    keys = re.findall(r"^@\w+\{([^,\s]+),", bibliography.read_text(encoding="utf-8"), re.MULTILINE)
    assert NODE_METHODS[name].reference in [*keys, "none"]
