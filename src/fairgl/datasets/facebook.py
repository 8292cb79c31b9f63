"""Facebook: the friends of one person (ego network 107), linked by friendship.

Source: Leskovec and McAuley (2012), ego-Facebook of the Stanford SNAP collection; profile entries are anonymised flags.
"""

from __future__ import annotations

import numpy as np

from fairgl.datasets import floats, one_of, origin
from fairgl.fetch import fetched
from fairgl.graph import Graph, canonical_edges, index_ids
from fairgl.registry import DATASETS

GENDER, OTHER_GENDER, LABEL = 264, 265, 220


@DATASETS.register("facebook", title="Facebook (ego 107)", kind="fetched", tasks=("nodes", "links"),
                   licence="none stated; SNAP asks for citation")  # fmt: skip
def facebook(task: str = "links") -> Graph:
    """Facebook with an anonymised gender flag as the sensitive attribute, appended to 573 other flags.

    The label of ``task="nodes"`` is the flag that the benchmark's library predicts.
    """
    one_of(task, ("nodes", "links"), "task")
    names = [line.split(" ", 1)[1].strip() for line in fetched("facebook/107.featnames").read_text().splitlines()]
    table = np.loadtxt(fetched("facebook/107.feat"), dtype=np.int64)
    pairs = np.loadtxt(fetched("facebook/107.edges"), dtype=np.int64)
    edges, report = canonical_edges(index_ids(table[:, 0], pairs), len(table))
    flags = table[:, 1:]
    kept = [column for column in range(flags.shape[1]) if column not in (GENDER, OTHER_GENDER, LABEL)]
    return Graph(
        name="facebook",
        x=floats(flags[:, [*kept, GENDER]]),
        edges=edges,
        y=flags[:, LABEL] if task == "nodes" else None,
        sens=flags[:, GENDER],
        sens_name="gender",
        sens_labels=("not gender 77", "gender 77"),
        sens_column=len(kept),
        feature_names=tuple(names[column] for column in [*kept, GENDER]),
        label_name=names[LABEL] if task == "nodes" else "",
        label_meaning="the profile has this anonymised entry" if task == "nodes" else "",
        card={**origin("facebook"), "edges_how": "friendship on Facebook", "published_nodes": 1045,
              "published_edges": 53498, "published_note": "rows of a file with both directions", **report},
    )  # fmt: skip
