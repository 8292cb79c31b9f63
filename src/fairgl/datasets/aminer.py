"""AMiner-S and AMiner-L: researchers linked by co-authorship, made for the benchmark from the AMiner network.

Source: the benchmark's files (edge list, label, continent of the affiliation, bag of words of the abstracts). Labels
and continents are numbers whose names were not published.

Labels become binary as in the benchmark's library (PyGDebias 1.1.1): 1 for the most common research field, 0 for all
others; the text does not say so. Deviation: all continents stay groups, where the released metrics compare only 0 and
1, and features stay sparse (0.9 and 3 GB as dense arrays). The continent's code is the last feature, as in the library.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from fairgl.datasets import one_of, origin
from fairgl.fetch import fetched
from fairgl.graph import Graph, canonical_edges
from fairgl.registry import DATASETS


def aminer(name: str, read: Callable[[str], bytes], suffix: str, nodes: int, edges: int) -> Graph:
    """A graph from the four files of one network; ``read`` gives the content of one by its name."""
    fields = _column(read(f"labels_{suffix}.txt"))
    continent = _column(read(f"sens_{suffix}.txt"))
    pairs = np.loadtxt(io.BytesIO(read(f"edgelist_{suffix}.txt")), dtype=np.int64, delimiter="\t", ndmin=2)
    n = len(fields)
    pairs, report = canonical_edges(pairs, n)
    with np.load(io.BytesIO(read(f"X_{suffix}.npz")), allow_pickle=False) as file:
        data, row, column = file["data"].astype(np.float32), file["row"], file["col"]
    words = sp.coo_array((data, (row, column)), shape=(n, int(column.max()) + 1))
    levels, sens = np.unique(continent, return_inverse=True)
    x = sp.csr_array(sp.hstack([words, sp.coo_array(continent[:, None].astype(np.float32))], format="csr"))
    x.sum_duplicates()
    field, counts = np.unique(fields, return_counts=True)
    common = int(field[np.argmax(counts)])
    return Graph(
        name=name,
        x=x.astype(np.float32),
        edges=pairs,
        y=(fields == common).astype(np.int64),
        sens=sens.astype(np.int64),
        sens_name="continent",
        sens_labels=tuple(f"continent {level}" for level in levels),
        sens_column=words.shape[1],
        feature_names=(),
        label_name="research field",
        label_meaning=f"the most common research field (number {common})",
        card={
            **origin(name),
            "edges_how": "two researchers wrote a paper together",
            "published_nodes": nodes,
            "published_edges": edges,
            "published_features": 5694,
            **report,
        },
    )


@DATASETS.register("aminer-s", title="AMiner-S", kind="fetched", tasks=("nodes",), licence="none stated")
def aminer_s(task: str = "nodes") -> Graph:
    """The smaller network (largest connected component), from four plain files."""
    one_of(task, ("nodes",), "task")
    return aminer("aminer-s", lambda file: fetched(f"aminer_s/{file}").read_bytes(), "Small", 39_424, 52_460)


@DATASETS.register("aminer-l", title="AMiner-L", kind="fetched", tasks=("nodes",), licence="none stated")
def aminer_l(task: str = "nodes") -> Graph:
    """The larger network, from one archive on a file-sharing service."""
    one_of(task, ("nodes",), "task")
    with zipfile.ZipFile(fetched("aminer_l/raw_LCC.zip")) as archive:
        members = {name.rsplit("/", 1)[-1]: name for name in archive.namelist()}
        return aminer("aminer-l", lambda file: archive.read(members[file]), "LCC", 129_726, 591_039)


def _column(content: bytes) -> np.ndarray:
    """The second column of "node<TAB>value" lines, in the order of node numbers, int64 [N]."""
    table = np.loadtxt(io.BytesIO(content), delimiter="\t", ndmin=2)
    order = np.argsort(table[:, 0], kind="stable")
    if not np.array_equal(table[order, 0], np.arange(len(table))):
        raise ValueError("node numbers of a label file must be 0, 1, 2, … without gaps or copies")
    return table[order, 1].astype(np.int64)
