"""FairAdj and walks for links: sparse forms equal dense ones, training edges only, any number of groups."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from fairgl.edge_weights import EdgeWeights, propagate
from fairgl.graph import Graph, canonical_edges
from fairgl.link_splits import link_split
from fairgl.methods.links.fairadj import FairAdj, _AllPairs, parity_gap
from fairgl.registry import LINK_METHODS
from fairgl.training import Diverged

QUICK = {
    "decoupled": {"epochs": 2, "hidden": 8},
    "single-gcn": {"epochs": 2, "hidden": 8},
    "fairwalk": {"per_node": 2, "length": 10, "dim": 8, "skipgram_epochs": 1},
    "deepwalk": {"per_node": 2, "length": 10, "dim": 8, "skipgram_epochs": 1},
    "uge": {"epochs": 2, "hidden": 8},
    "fairegm": {"epochs": 2},
    "fairadj": {"rounds": 1, "t1": 3, "t2": 2},
}


def make(nodes=90, edges=500, groups=2, seed=0):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(nodes, 5)).astype(np.float32)
    pairs, _ = canonical_edges(generator.integers(0, nodes, (edges, 2)), nodes)
    sens = generator.integers(0, groups, nodes)
    return Graph("t", x, pairs, None, sens, sens_labels=tuple("abcdef"[:groups]))


@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("name", LINK_METHODS.names())
def test_every_link_method(name, groups):
    graph = make(groups=groups)
    split = link_split(graph, 0)
    method = LINK_METHODS[name].configure(QUICK.get(name, {}))
    assert method.label and method.reference and all(method.sources().values()), name
    if method.skip(graph):
        pytest.skip(method.skip(graph))
    scores = method.fit(graph, split, 0)
    assert scores.val.shape == (len(split.val),) and scores.test.shape == (len(split.test),)
    assert scores.test.dtype == np.float64 and np.isfinite(scores.test).all() and np.isfinite(scores.val).all()
    blind = method.fit(graph.replace(edges=split.train.positives), split, 0)
    assert np.array_equal(blind.test, scores.test), "a held-out edge reached the scores"
    assert not np.array_equal(method.fit(graph, split, 1).test, scores.test)


def weights(seed=0, n=30):
    a = sp.random_array((n, n), density=0.1, rng=np.random.default_rng(seed), format="csr")
    a = sp.csr_array((a + a.T + sp.eye_array(n)) > 0).astype(float)
    return a, EdgeWeights(a, "cpu")


def test_projection_is_the_nearest_point_of_the_simplex():
    a, w = weights()
    values = torch.randn(a.nnz, generator=torch.Generator().manual_seed(0))
    out = w.project(values)
    for row in range(a.shape[0]):
        part = slice(a.indptr[row], a.indptr[row + 1])
        v, p = values[part].double().numpy(), out[part].double().numpy()
        assert p.sum() == pytest.approx(1, abs=1e-6) and (p >= 0).all()
        shift = v - p  # optimality: one threshold where the weight is positive, and no larger value where it is 0
        assert np.ptp(shift[p > 0]) < 1e-6 and (v[p == 0] <= shift[p > 0].max() + 1e-6).all()


def test_propagation_and_its_gradients_equal_the_dense_ones():
    a, w = weights()
    generator = torch.Generator().manual_seed(1)
    values = torch.rand(a.nnz, generator=generator, requires_grad=True)
    h = torch.randn(30, 4, generator=generator, requires_grad=True)
    g = torch.randn(30, 4, generator=generator)
    rows = w.rows, w.pattern[1]
    dense = torch.zeros(30, 30).index_put(rows, values)
    mine = torch.autograd.grad((propagate(values, h, w) * g).sum(), (values, h))
    theirs = torch.autograd.grad(((dense @ h) * g).sum(), (values, h))
    for x, y in zip(mine, theirs, strict=True):
        torch.testing.assert_close(x, y)


def test_all_pairs_in_blocks_and_reconstruction_equal_dense_cross_entropy(monkeypatch):
    monkeypatch.setattr("fairgl.methods.links.fairadj.BLOCK", 100)
    a, w = weights()
    z = torch.randn(30, 4, generator=torch.Generator().manual_seed(2), requires_grad=True)
    dense = torch.nn.functional.softplus(z @ z.T).sum()
    blocks = _AllPairs.apply(z)
    torch.testing.assert_close(blocks, dense)
    torch.testing.assert_close(torch.autograd.grad(blocks, z)[0], torch.autograd.grad(dense, z)[0])
    n, positives = 900, a.nnz
    label = torch.from_numpy(a.toarray()).float()
    weight = torch.tensor((n - positives) / positives)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(z @ z.T, label, pos_weight=weight)
    expected = n / (2 * (n - positives)) * loss
    torch.testing.assert_close(FairAdj().reconstruction(z, w), expected)
    torch.manual_seed(0)
    sampled = FairAdj(exact_up_to=0, sampled_pairs=200_000).reconstruction(z, w)
    torch.testing.assert_close(sampled, expected, rtol=0.02, atol=0)


@pytest.mark.parametrize("groups", [2, 3])
def test_parity_gap_equals_the_mean_over_pairs(groups):
    z = torch.randn(12, 3, generator=torch.Generator().manual_seed(3))
    s = torch.arange(12) % groups
    same, logits = s[:, None] == s[None, :], z @ z.T
    one_hot = torch.nn.functional.one_hot(s, groups).float()
    torch.testing.assert_close(parity_gap(z, one_hot), logits[same].mean() - logits[~same].mean())


def test_raw_features_that_overflow_are_an_error_not_a_list():
    graph = make()
    graph = graph.replace(x=(graph.x * 1e30).astype(np.float32))
    with pytest.raises(Diverged):
        FairAdj(scale="none", rounds=1, t1=2, t2=1).fit(graph, link_split(graph, 0), 0)


def test_the_released_variant_sees_the_test_edges():
    graph = make()
    split = link_split(graph, 0)
    scores = FairAdj(full_graph=True, rounds=1, t1=2, t2=1).fit(graph, split, 0)
    assert scores.diagnostics["edges_seen"] == graph.num_edges > len(split.train.positives)


def test_one_way_walks_are_short():
    graph = make(edges=2000)
    split = link_split(graph, 0)
    both, one = (
        LINK_METHODS["fairwalk"].configure({**QUICK["fairwalk"], "one_way": w}).fit(graph, split, 0)
        for w in (False, True)
    )
    assert one.diagnostics["mean_walk"] < 0.8 * both.diagnostics["mean_walk"] <= 10
