"""NBA: 403 basketball players of the season 2016-17, linked by who follows whom on Twitter.

Source: Dai and Wang (FairGNN, 2021). Ids exceed 2**53, so they are read as integers, never through floats.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairgl.datasets import floats, one_of, origin
from fairgl.fetch import fetched
from fairgl.graph import Graph, canonical_edges, index_ids
from fairgl.registry import DATASETS


@DATASETS.register("nba", title="NBA", kind="fetched", tasks=("nodes", "links"), licence="none stated")
def nba(task: str = "nodes") -> Graph:
    """NBA with nationality as the sensitive attribute; both tasks use 95 columns with ``country`` appended."""
    one_of(task, ("nodes", "links"), "task")
    table = pd.read_csv(fetched("nba/nba.csv"), dtype={"user_id": np.int64})
    pairs = np.loadtxt(fetched("nba/nba_relationship.txt"), dtype=np.int64)
    edges, report = canonical_edges(index_ids(table["user_id"], pairs), len(table))
    features = table.drop(columns=["user_id", "SALARY", "country"]).assign(country=table["country"])
    return Graph(
        name="nba",
        x=floats(features),
        edges=edges,
        y=table["SALARY"].clip(upper=1).to_numpy(),
        sens=table["country"].to_numpy(),
        sens_name="country",
        sens_labels=("United States", "overseas"),
        sens_column=features.shape[1] - 1,
        feature_names=tuple(features.columns),
        label_name="SALARY",
        label_meaning="salary above the median; -1 where unknown",
        card={**origin("nba"), "edges_how": "one of the two follows the other on Twitter", "published_nodes": 403,
              "published_edges": 16570, "published_note": "rows of a directed file", **report},
    )  # fmt: skip
