"""Pokec-z and Pokec-n: users of a Slovak social network from two groups of regions, linked by friendship.

Source: Takac and Zabovsky (2012), as sampled and coded by Dai and Wang (FairGNN, 2021). The node-classification
benchmark takes the region as sensitive attribute and the working field as label; the link-prediction study takes gender
and drops the working field from the features. In both, the attribute is moved to the last column.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairgl.datasets import floats, one_of, origin
from fairgl.fetch import fetched
from fairgl.graph import Graph, canonical_edges, encode_sensitive, index_ids
from fairgl.registry import DATASETS

LABEL = "I_am_working_in_field"
SENSITIVE = {"nodes": "region", "links": "gender"}
LICENCE = "none stated; SNAP asks for citation of soc-Pokec"


def pokec(name: str, stem: str, task: str, nodes: int, rows: int, width: int) -> Graph:
    """A graph from ``<stem>.csv`` (one row per user) and ``<stem>_relationship.txt`` (pairs of user ids)."""
    one_of(task, tuple(SENSITIVE), "task")
    attribute = SENSITIVE[task]
    table = pd.read_csv(fetched(f"pokec/{stem}.csv"), dtype={"user_id": np.int64})
    pairs = pd.read_csv(fetched(f"pokec/{stem}_relationship.txt"), sep=r"\s+", header=None, dtype=np.int64).to_numpy()
    edges, report = canonical_edges(index_ids(table["user_id"], pairs), len(table))
    features = table.drop(columns=["user_id", LABEL, attribute]).assign(**{attribute: table[attribute]})
    coded = encode_sensitive(table[attribute], attribute)
    return Graph(
        name=name,
        x=floats(features),
        edges=edges,
        # Fields beyond 1 count as 1, as in both code bases; -1 is unknown.
        y=table[LABEL].clip(lower=-1, upper=1).to_numpy().astype(np.int64) if task == "nodes" else None,
        sens=coded.codes,
        sens_name=attribute,
        sens_labels=tuple(f"{attribute} {label}" for label in coded.labels),
        sens_column=features.shape[1] - 1,
        feature_names=tuple(features.columns),
        label_name=LABEL if task == "nodes" else "",
        label_meaning="the working field's number is 1 or more" if task == "nodes" else "",
        card={
            **origin(name),
            "edges_how": "one of the two lists the other as a friend",
            "published_nodes": nodes,
            "published_edges": rows,
            "published_features": width,
            "published_note": "the published edges are rows of a directed file",
            **report,
        },
    )


@DATASETS.register("pokec-z", title="Pokec-z", kind="fetched", tasks=("nodes", "links"), licence=LICENCE)
def pokec_z(task: str = "nodes") -> Graph:
    """Users of the Žilina regions; published: 67,796 users, 617,958 unordered pairs."""
    return pokec("pokec-z", "region_job", task, 67_796, 882_765, 276)


@DATASETS.register("pokec-n", title="Pokec-n", kind="fetched", tasks=("nodes", "links"), licence=LICENCE)
def pokec_n(task: str = "nodes") -> Graph:
    """Users of the Nitra regions; published: 66,569 users, 517,047 unordered pairs."""
    return pokec("pokec-n", "region_job_2", task, 66_569, 729_129, 265)
