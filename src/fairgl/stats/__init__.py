"""Statistics over repeated runs: summaries of one sample and comparisons of several. Arrays in, numbers out.

Values that are NaN stand for runs whose metric is undefined. They are left out and counted, never silently dropped:
every summary says how many of how many values it rests on.
"""

from __future__ import annotations

from fairgl.stats.comparison import (
    Test,
    average_ranks,
    friedman_test,
    holm,
    nemenyi_critical_difference,
    permutation_test,
    wilcoxon_test,
    win_tie_loss,
)
from fairgl.stats.summary import (
    Correlation,
    Summary,
    bootstrap_interval,
    mean,
    pareto_front,
    spearman,
    std,
    summarise,
    valid_values,
)

__all__ = [
    "Correlation",
    "Summary",
    "Test",
    "average_ranks",
    "bootstrap_interval",
    "friedman_test",
    "holm",
    "mean",
    "nemenyi_critical_difference",
    "pareto_front",
    "permutation_test",
    "spearman",
    "std",
    "summarise",
    "valid_values",
    "wilcoxon_test",
    "win_tie_loss",
]
