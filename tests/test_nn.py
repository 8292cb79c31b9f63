"""The encoders against torch-geometric's layers with the same weights, and the sparse product against a dense one."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch import nn
from torch_geometric.nn import GCNConv, GINConv, SAGEConv

from fairgl.nn import GCN, GIN, MLP, SAGE, Classifier, encoder
from fairgl.sparse import Sparse, features, propagation

N, F, H = 40, 7, 5


@pytest.fixture(scope="module")
def graph():
    """A symmetric adjacency with isolated nodes, its edge index, and features."""
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((N, N)) < 0.12, 1)
    upper[:, -3:] = False
    adjacency = sp.csr_array((upper | upper.T).astype(np.float32))
    index = torch.from_numpy(np.array(adjacency.nonzero()))
    return adjacency, index, torch.from_numpy(rng.standard_normal((N, F)).astype(np.float32))


def copy_into(parameter, value):
    with torch.no_grad():
        parameter.copy_(value)


def test_gcn_layers(graph):
    adjacency, index, x = graph
    ours = GCN(F, H, layers=2, dropout=0.0).eval()
    first, second = GCNConv(F, H), GCNConv(H, H)
    for layer, linear, bias in zip((first, second), ours.linears, ours.biases, strict=True):
        copy_into(bias, torch.randn(H))
        copy_into(layer.lin.weight, linear.weight)
        copy_into(layer.bias, bias)
    expected = second(first(x, index).relu(), index)
    p = propagation(adjacency)
    torch.testing.assert_close(ours(x, p), expected, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(ours(p @ x, p, propagated=True), expected, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(ours(features(sp.csr_array(x.numpy())), p), expected, atol=1e-5, rtol=1e-4)


def test_linear_gcn_is_linear(graph):
    adjacency, _, x = graph
    model, p = GCN(F, H, layers=2, dropout=0.0, activation=False).eval(), propagation(adjacency)
    zero = model(torch.zeros_like(x), p)
    torch.testing.assert_close(model(2 * x, p) - zero, 2 * (model(x, p) - zero), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("normalize", [False, True])
def test_sage_layer(graph, normalize):
    adjacency, index, x = graph
    ours = SAGE(F, H, layers=1, normalize=normalize).eval()
    layer = SAGEConv(F, H, normalize=normalize)
    copy_into(ours.own[0].bias, torch.randn(H))
    copy_into(layer.lin_r.weight, ours.own[0].weight)
    copy_into(layer.lin_l.weight, ours.neigh[0].weight)
    copy_into(layer.lin_l.bias, ours.own[0].bias)
    out = ours(x, propagation(adjacency, "row", 0.0))
    torch.testing.assert_close(out, layer(x, index), atol=1e-5, rtol=1e-4)


def test_gin_layer(graph):
    adjacency, index, x = graph
    ours = GIN(F, H, layers=1)
    layer = GINConv(nn.Sequential(ours.first[0], ours.norms[0], nn.ReLU(), ours.second[0]), eps=0.0)
    p = propagation(adjacency, "sum", 1.0)
    for mode in (True, False):
        ours.train(mode), layer.train(mode)
        torch.testing.assert_close(ours(x, p), layer(x, index), atol=1e-5, rtol=1e-4)


def test_mlp_sees_no_edges(graph):
    adjacency, _, x = graph
    model = Classifier(MLP(F, H, dropout=0.0)).eval()
    torch.testing.assert_close(model(x, propagation(adjacency)), model(x))


@pytest.mark.parametrize("kind", ["symmetric", "row", "sum"])
@pytest.mark.parametrize("loops", [0.0, 1.0])
def test_propagation_against_dense(graph, kind, loops):
    adjacency = graph[0]
    a = adjacency.toarray().astype(np.float64) + loops * np.eye(N)
    degree = a.sum(1)
    inverse = np.divide(1.0, degree, out=np.zeros(N), where=degree > 0)
    expected = {"symmetric": np.sqrt(inverse)[:, None] * a * np.sqrt(inverse), "row": inverse[:, None] * a, "sum": a}
    out = propagation(adjacency, kind, loops) @ torch.eye(N)
    np.testing.assert_allclose(out.numpy(), expected[kind], atol=1e-6)


@pytest.mark.parametrize("transposed", [False, True])
def test_sparse_product_and_its_gradient(transposed):
    matrix = sp.random_array((9, 6), density=0.3, rng=np.random.default_rng(1), format="csr")
    ours, dense = Sparse(matrix, dtype=torch.float64), torch.from_numpy(matrix.toarray())
    if transposed:
        ours, dense = ours.t(), dense.T
    right = torch.randn(dense.shape[1], 4, dtype=torch.float64, requires_grad=True)
    assert ours.shape == tuple(dense.shape)
    torch.testing.assert_close(ours @ right, dense @ right)
    weight = torch.randn(dense.shape[0], 4, dtype=torch.float64)
    (gradient,) = torch.autograd.grad(((ours @ right) * weight).sum(), right)
    torch.testing.assert_close(gradient, dense.T @ weight)
    assert torch.autograd.gradcheck(lambda r: ours @ r, (right,))


def test_spectral_norm_bounds_every_weight(graph):
    torch.manual_seed(0)
    model = Classifier(GCN(F, H, 1, 0.0, False, spectral=True), spectral=True).train()
    copy_into(model.body.linears[0].parametrizations.weight.original, 50 * torch.randn(H, F))
    for _ in range(50):
        weights = model.body.linears[0].weight, model.head.weight
    for weight in weights:
        assert torch.linalg.matrix_norm(weight, 2).item() == pytest.approx(1.0, abs=1e-3)


def test_unknown_names_list_the_valid_ones(graph):
    with pytest.raises(ValueError, match="gcn, sage, gin"):
        encoder("gat", F)
    with pytest.raises(ValueError, match="symmetric, row, sum"):
        propagation(graph[0], "column")
