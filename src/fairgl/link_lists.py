"""Records of link prediction as ranked lists: one row per run and list, under the names that the papers print.

A record holds the measures of several lists of one predictor at several cut-offs (``ndkl@1000.moral``). Tables,
figures and claims compare lists, so :func:`lists` turns a record into rows whose ``method`` is the list ("moral" is the
decoupled predictor after MORAL's greedy) and whose columns are the registered metrics.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from fairgl import published

K = 1000
LISTS = {  # list: (method of the record, how its candidates were ranked)
    "moral": ("decoupled", "moral"),
    "detconstsort": ("decoupled", "detconstsort"),
    "moral-unranked": ("decoupled", "none"),
    "moral-calibrated": ("decoupled", "calibrated"),
    "single-gcn": ("single-gcn", "none"),
    "single-gcn+moral": ("single-gcn", "moral"),
    "uge": ("uge", "none"),
    "fairegm": ("fairegm", "none"),
    "fairadj": ("fairadj", "none"),
    "fairadj+moral": ("fairadj", "moral"),
    "fairwalk": ("fairwalk", "none"),
    "fairwalk+moral": ("fairwalk", "moral"),
}
METRICS_OF = {  # registered metric: the record's name of it
    "ndkl": "ndkl",
    "awrf": "awrf",
    "precision_at_k": "precision",
    "ndcg_at_k": "ndcg",
    "dyadic_parity_difference": "dp",
    "one_vs_all_parity_difference": "dp_ova",
}
LIST_IDEAL = "test.ndcg_list"  # NDCG whose ideal is the list's own best order, as printed
_CSV = {"airtraffic": "garn", "pokec_n": "pokec-n", "pokec_z": "pokec-z"}


def lists(frame: pd.DataFrame, k: int = K, rows: Mapping[str, tuple[str, str]] | None = None) -> pd.DataFrame:
    """One row per run and list.

    Args:
        frame: Records of the task "links" (:func:`fairgl.live.records`).
        k: Cut-off; it must be one of those recorded.
        rows: ``{list: (method, reranker)}`` in the order of the result; default :data:`LISTS`.

    Returns:
        The columns of ``frame`` that are no measures of a list, ``method`` replaced, ``predictor`` and ``reranker``
        added, and ``test.<metric>`` with its reason where undefined.

    Raises:
        ValueError: Another cut-off; the message lists the recorded ones.
    """
    recorded = sorted({int(c.split("@")[1].split(".")[0]) for c in frame if c.startswith("test.ndkl@")})
    if len(frame) and k not in recorded:
        raise ValueError(f"no lists of {k} in the records. Valid cut-offs: {', '.join(map(str, recorded))}")
    plain = [c for c in frame if "@" not in c or c.startswith("test.hits@")]
    out = []
    for name, (method, reranker) in (rows or LISTS).items():
        runs = frame[frame["method"] == method]
        part = runs[plain].assign(method=name, predictor=method, reranker=reranker)
        for metric, key in [*METRICS_OF.items(), (LIST_IDEAL.removeprefix("test."), "ndcg_list")]:
            for suffix in ("", ".reason"):
                column = f"test.{key}@{k}.{reranker}{suffix}"
                if column in runs:
                    part[f"test.{metric}{suffix}"] = runs[column]
        shares = [c for c in runs if c.startswith("test.share") and c.endswith(f"@{k}.{reranker}")]
        part = part.assign(**{c.removeprefix("test.").split("@")[0]: runs[c] for c in shares})
        out.append(part)
    return pd.concat(out, ignore_index=True)


def as_printed(ranked: pd.DataFrame) -> pd.DataFrame:
    """Lists whose NDCG is divided by the list's own best order, as the paper's is."""
    return ranked.assign(**{"test.ndcg_at_k": ranked[LIST_IDEAL]}) if LIST_IDEAL in ranked else ranked


def curve(frame: pd.DataFrame, metric: str, method: str = "decoupled", reranker: str = "moral") -> pd.DataFrame:
    """A metric of one list at every recorded cut-off: columns dataset, seed, k, value."""
    ending, rows = f".{reranker}", []
    runs = frame[frame["method"] == method]
    for column in runs:
        if column.startswith(f"test.{metric}@") and column.endswith(ending):
            k = int(column.split("@")[1].removesuffix(ending))
            rows.append(runs[["dataset", "seed"]].assign(k=k, value=runs[column].astype(float)))
    return pd.concat(rows, ignore_index=True).sort_values(["dataset", "seed", "k"], ignore_index=True)


def recomputed() -> pd.DataFrame:
    """What the study's stored predictions say: one row per data set, list, seed and order.

    ``order`` is ``raw`` (by score, with the groups stored beside the scores), ``misaligned`` (what the study printed
    for unranked lists: groups of another split), ``reranked`` (the stored final list) or ``reranked, right target``.
    Columns ndkl, awrf, precision, ndcg (ideal of the list) and dp.
    """
    table = pd.read_csv(published.paths.published() / "moral_reproduction_recomputed.csv")
    orders = {"raw_misaligned": "misaligned", "reranked_pi_fixed": "reranked, right target"}
    return table.assign(
        dataset=table["dataset"].replace(_CSV), method=table["method"].str.lower(),
        order=table["ordering"].replace(orders),
    ).drop(columns="ordering")  # fmt: skip


def target_of(dataset: str) -> list[float]:
    """The study's target distribution of a data set, from its edge counts per type."""
    table = pd.read_csv(published.paths.published() / "moral_reproduction_graph_stats.csv").drop_duplicates("dataset")
    name = {ours: theirs for theirs, ours in _CSV.items()}.get(dataset, dataset)
    row = table.set_index("dataset").loc[f"{name}_0", ["global_00", "global_01", "global_11"]].astype(float)
    return (row / row.sum()).tolist()
