"""Energy of one training of decoupled link predictors, by codecarbon.

The reproduction study measured its runs with codecarbon on an A100 (its Table 11). This does the same around one fit
under the fast schedule. codecarbon reads a power meter where the processor has one (RAPL, powermetrics); a virtual
machine has none, and then it multiplies a constant for the processor's model by the time: such a row is an estimate,
and the column ``power_source`` says so. The emission factor is that of the country given with ``--country``, which for
a machine of unknown place is an assumption.

    python benchmarks/energy.py german facebook nba --out benchmarks/energy.csv
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairgl.link_splits import link_split
from fairgl.methods.links.decoupled import Decoupled
from fairgl.tasks.links import load_links

FIELDS = (
    "graph", "schedule", "epochs", "minutes", "cpu_minutes", "kwh", "cpu_kwh", "ram_kwh", "kgco2eq", "cpu_watts",
    "full_load_watts", "power_source", "tracking", "country", "grams_per_kwh", "cpus", "version",
)  # fmt: skip


def power_source(tracker: Any) -> tuple[str, float]:
    """Where the processor's power comes from (a meter, or a constant times its load), and that constant in watts."""
    parts = [part for part in getattr(tracker, "_hardware", []) if type(part).__name__ == "CPU"]
    metered = any(getattr(part, "_mode", "") in ("intel_power_gadget", "intel_rapl", "windows_emi") for part in parts)
    watts = sum(float(getattr(part, "_tdp", None) or 0) for part in parts)
    return ("meter" if metered else "model (no power meter found)"), watts


def measure(dataset: str, country: str, config: dict[str, Any], seed: int = 0) -> dict[str, Any]:
    """One row: a fit of ``Decoupled(**config)`` on ``dataset`` inside codecarbon's offline tracker.

    Args:
        dataset: Name of a graph with links.
        country: ISO code of three letters, whose mix of sources gives the emissions.
        config: Fields of :class:`~fairgl.methods.links.decoupled.Decoupled`.
        seed: Of the split and of the training.
    """
    import codecarbon

    graph = load_links(dataset)
    split = link_split(graph, seed)
    tracker = codecarbon.OfflineEmissionsTracker(
        country_iso_code=country,
        save_to_file=False,
        log_level="error",
        measure_power_secs=1,
        allow_multiple_runs=True,
        tracking_mode="process",
    )
    method = replace(Decoupled(), **config)
    replace(method, epochs=1).fit(graph, split, seed)  # libraries load in the first fit
    tracker.start()
    began, worked = time.perf_counter(), time.process_time()
    try:
        scores = method.fit(graph, split, seed)
    finally:
        minutes, cpu_minutes = (time.perf_counter() - began) / 60, (time.process_time() - worked) / 60
        tracker.stop()
    data, (source, watts) = tracker.final_emissions_data, power_source(tracker)
    return {
        "graph": dataset,
        "schedule": method.schedule,
        "epochs": scores.diagnostics.get("epochs_run"),
        "minutes": round(minutes, 3),
        "cpu_minutes": round(cpu_minutes, 3),
        **{name: float(f"{value:.4g}") for name, value in (
            ("kwh", data.energy_consumed), ("cpu_kwh", data.cpu_energy), ("ram_kwh", data.ram_energy),
            ("kgco2eq", data.emissions))},
        "cpu_watts": round(60e3 * data.cpu_energy / minutes, 2),
        "full_load_watts": watts,
        "power_source": source,
        "tracking": "process",
        "country": country,
        "grams_per_kwh": round(1000 * data.emissions / data.energy_consumed, 1) if data.energy_consumed else None,
        "cpus": int(data.cpu_count or 0),
        "version": codecarbon.__version__,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["german", "facebook", "nba"])
    parser.add_argument("--country", default="NLD", help="mix of sources, default NLD, which the study quotes")
    parser.add_argument("--epochs", type=int, help="at most so many epochs, for a trial")
    parser.add_argument("--out", type=Path, help="CSV file; printed otherwise")
    chosen = parser.parse_args()
    config: dict[str, Any] = {"schedule": "fast"} | ({"epochs": chosen.epochs} if chosen.epochs else {})
    rows = [measure(dataset, chosen.country, config) for dataset in chosen.datasets]
    target = chosen.out.open("w", newline="", encoding="utf8") if chosen.out else sys.stdout
    writer = csv.DictWriter(target, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    if chosen.out:
        target.close()


if __name__ == "__main__":
    main()
