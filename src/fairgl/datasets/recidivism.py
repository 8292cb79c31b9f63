"""Recidivism (also called bail): 18,876 people released from North Carolina prisons; the graph is derived.

Source: the file of Agarwal et al. (NIFTY, 2021), who took the table of Jordan and Freiburger (2015) — columns and codes
are those of ICPSR 8987, "Predicting Recidivism in North Carolina, 1978 and 1980" (Schmidt and Witte). The benchmark's
text speaks of defendants released on bail by state courts in 1990-2009; the columns say otherwise.
"""

from __future__ import annotations

import pandas as pd

from fairgl.datasets import floats, one_of, origin
from fairgl.fetch import fetched
from fairgl.graph import Graph, canonical_edges
from fairgl.registry import DATASETS
from fairgl.similarity import similarity_edges


@DATASETS.register("recidivism", aliases=("bail",), title="Recidivism", kind="fetched", tasks=("nodes",),
                   licence="none stated by the publisher of the file")  # fmt: skip
def recidivism(task: str = "nodes") -> Graph:
    """Recidivism with race (WHITE) as the sensitive attribute; 18 raw columns, WHITE first."""
    one_of(task, ("nodes",), "task")
    table = pd.read_csv(fetched("bail/bail.csv"))
    features = table.drop(columns="RECID")
    edges, report = canonical_edges(similarity_edges(features.to_numpy(), 0.6), len(table))
    return Graph(
        name="recidivism",
        x=floats(features),
        edges=edges,
        y=table["RECID"].to_numpy(),
        sens=table["WHITE"].to_numpy(),
        sens_name="WHITE",
        sens_labels=("not white", "white"),
        sens_column=0,
        feature_names=tuple(features.columns),
        label_name="RECID",
        label_meaning="returned to prison in the follow-up period",
        card={
            **origin("recidivism"),
            "edges_how": "similarity of rows above 0.6 of the row's best, on raw columns",
            "published_nodes": 18876,
            "published_edges": 403977,
            "published_features": 18,
            "published_note": "the published 403,977 are rows of a directed file; 311,870 unordered pairs",
            "published_elsewhere": 321308,  # NIFTY: both directions and a loop per node, halved
            **report,
        },
    )
