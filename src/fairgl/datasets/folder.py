"""A user's own graph: a folder with ``nodes.csv`` and ``edges.csv``.

``nodes.csv`` has one row per node: ``id``, ``sensitive``, ``label`` (optional; 0, 1, or empty for unlabelled), and
numeric feature columns. ``edges.csv`` has two columns of ids in any order and direction; copies and loops are removed
and counted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from fairgl.datasets import floats
from fairgl.graph import Graph, GraphError, attribute_columns, canonical_edges, encode_sensitive, index_ids


def folder(
    path: Path,
    id: str = "id",
    label: str = "label",
    sensitive: str = "sensitive",
    missing: str = "error",
    sensitive_feature: bool = False,
) -> Graph:
    """Read the folder.

    Args:
        path: The folder.
        id, label, sensitive: Column names in ``nodes.csv``.
        missing: What a missing sensitive value does: "error", or "drop" the node and its edges (counted in the card).
        sensitive_feature: Also append the group code as the last feature, as most of the literature does. A feature
            column that equals the attribute up to a renaming of its values is recognised as such, gets the group code
            for its value and the attribute for its name: methods write codes into it when they change the attribute.

    Raises:
        GraphError: A file or column is missing, a feature is not numeric, an id is unknown or occurs twice.
    """
    for name in ("nodes.csv", "edges.csv"):
        if not (path / name).is_file():
            raise GraphError(f"{path} has no {name}: a graph folder needs nodes.csv and edges.csv")
    # Ids stay text: a number beyond 2**53 would lose its last digits as a float.
    nodes = pd.read_csv(path / "nodes.csv", dtype={id: str})
    pairs = pd.read_csv(path / "edges.csv", dtype=str)
    absent = [column for column in (id, sensitive) if column not in nodes]
    if absent:
        raise GraphError(f"nodes.csv has no column {', '.join(absent)}; it has {', '.join(nodes.columns)}")
    if pairs.shape[1] < 2 or pairs.iloc[:, :2].isna().any(axis=None):
        raise GraphError("edges.csv needs two columns of ids without gaps")
    coded = encode_sensitive(nodes[sensitive], sensitive, missing)
    ends = index_ids(nodes[id].to_numpy(), pairs.iloc[:, :2].to_numpy())
    kept = coded.kept
    position = np.cumsum(kept) - 1
    ends = position[ends[kept[ends].all(axis=1)]]
    nodes = nodes[kept].reset_index(drop=True)
    edges, report = canonical_edges(ends, len(nodes))
    features = nodes.drop(columns=[c for c in (id, label, sensitive) if c in nodes])
    text = [c for c in features if not pd.api.types.is_numeric_dtype(features[c]) or features[c].isna().any()]
    if text:
        raise GraphError(f"feature columns must be numbers without gaps; these are not: {', '.join(text)}")
    x, names = floats(features), tuple(features.columns)
    if sensitive_feature:
        x, names = floats(np.column_stack([x, coded.codes])), (*names, sensitive)
    same = attribute_columns(x, coded.codes).tolist()
    for column in same:
        x[:, column] = coded.codes
        names = (*names[:column], sensitive, *names[column + 1 :])
    y = None
    if label in nodes:
        y = nodes[label].fillna(-1).astype(np.int64).to_numpy()
    return Graph(
        name=path.name,
        x=x,
        edges=edges,
        y=y,
        sens=coded.codes,
        sens_name=sensitive,
        sens_labels=coded.labels,
        sens_column=same[-1] if same else None,
        feature_names=names,
        label_name=label if y is not None else "",
        card={"source": f"folder {path.name}", "dropped_nodes": coded.dropped, **report},
    )
