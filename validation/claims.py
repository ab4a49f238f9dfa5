"""The paper's claims on the built-in workload, at paper size: writes ``docs/validation.md``.

Run with ``python validation/claims.py``; takes a few minutes on two cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

import flexsched as fs
from flexsched.report.paper import published

PAPER_TASKS, PAPER_NODES, SEEDS = 714_030, 4000, (0, 1, 2)
PAPER_REQUEST_GAIN, PAPER_USAGE_GAIN, PAPER_VIOLATION_RATIO = 1.74, 1.6, 3.7
POLICIES = (fs.LeastFit(), fs.Oversub(), fs.FlexF(), fs.FlexL())
#: The policies with the authors' integer scores, cache and ties, as far as they are settings here.
AUTHORS = (
    fs.LeastFit(),
    fs.Oversub(score="authors", tie="last-lexical"),
    fs.FlexF(score="authors", estimator="previous-tick", tie="last-lexical"),
    fs.FlexL(score="authors", estimator="previous-tick", tie="last-lexical"),
)
PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation.md"


def figures(comparison: fs.Comparison) -> dict[str, dict[str, float]]:
    """The figures that the claims are about, per policy."""
    least = comparison.summary["policies"]["least-fit"]
    found = {}
    for run in comparison.runs:
        entry: dict[str, Any] = run.summary
        usage = np.array(run.ticks["usage_memory_fraction"])
        deviation = np.array(run.ticks["imbalance_memory"], np.float64) * usage
        found[run.label] = {
            "request gain, CPU": entry["request_cpu"]["mean"] / least["request_cpu"]["mean"],
            "usage gain, CPU": entry["usage_cpu"]["mean"] / least["usage_cpu"]["mean"],
            "usage gain, memory": entry["usage_memory"]["mean"] / least["usage_memory"]["mean"],
            "violated tasks, %": 100 * entry["qos"]["violated_task_fraction"],
            "time below target, %": 100 * entry["qos"]["violated_time_fraction"],
            "memory deviation / mean": entry["imbalance_memory"],
            "memory deviation / capacity": float(np.nanmean(deviation)),
            "memory used, %": 100 * entry["usage_memory"]["mean"],
            "request CPU, %": 100 * entry["request_cpu"]["mean"],
        }
    return found


def offered(comparison: fs.Comparison) -> float:
    """Offered CPU requests over capacity."""
    load = comparison.runs[0].info["workload"]["offered_load"]
    return float(load["request_cpu_fraction"])


def table(found: dict[str, dict[str, float]]) -> list[str]:
    """A Markdown table, a row per figure and a column per policy."""
    names = list(next(iter(found.values())))
    lines = ["| figure | " + " | ".join(found) + " |", "|---|" + "---:|" * len(found)]
    lines += [
        f"| {name} | " + " | ".join(f"{found[label][name]:.3g}" for label in found) + " |"
        for name in names
    ]
    return lines


def ratio(found: dict[str, dict[str, float]], policy: str) -> float:
    """Violated tasks of Oversub over those of a policy."""
    return found["oversub"]["violated tasks, %"] / found[policy]["violated tasks, %"]


def run(
    seed: int,
    nodes: int,
    policies: Sequence[fs.Policy] = POLICIES,
    contention: Literal["share", "paper"] = "share",
) -> fs.Comparison:
    """The four policies of the paper at paper size."""
    workload = fs.synthesize(tasks=PAPER_TASKS, seed=seed)
    return fs.compare(
        workload,
        policies,
        cluster=fs.Cluster.uniform(nodes),
        seed=seed,
        contention=contention,
    )


def spread(values: list[float]) -> str:
    """Smallest to largest over the seeds."""
    return f"{min(values):.3g} to {max(values):.3g}"


def main() -> None:
    """Run everything and write the page."""
    at_paper_size = [run(seed, PAPER_NODES) for seed in SEEDS]
    found = [figures(comparison) for comparison in at_paper_size]
    load = offered(at_paper_size[0])
    # As many nodes as bring the offered load down to what the paper's policies admitted.
    roomier = round(PAPER_NODES * load / PAPER_REQUEST_GAIN)
    equal_load = run(SEEDS[0], roomier)
    equal = figures(equal_load)
    overflow = figures(run(SEEDS[0], roomier, contention="paper"))
    authors = figures(run(SEEDS[0], roomier, AUTHORS, contention="paper"))
    authors = {label.partition(":")[0]: found for label, found in authors.items()}

    def over_seeds(policy: str, name: str) -> str:
        return spread([each[policy][name] for each in found])

    flex = ("flex-f", "flex-l")
    lines = [
        "# The paper's claims, and what comes out here",
        "",
        "Written by `validation/claims.py`; do not edit. The workload is the built-in synthetic "
        f"one ({PAPER_TASKS:,} tasks, 24 h), fitted to published figures of the trace and to "
        "nothing that a policy scores. Usage is **synthetic**. Ranges are over seeds "
        f"{', '.join(map(str, SEEDS))}.",
        "",
        f"## {PAPER_NODES} nodes",
        "",
        "| claim | paper | here |",
        "|---|---|---|",
        *(
            f"| {p}: CPU requests admitted over LeastFit | {PAPER_REQUEST_GAIN} | "
            f"{over_seeds(p, 'request gain, CPU')} |"
            for p in flex
        ),
        *(
            f"| {p}: usage over LeastFit, CPU; memory | up to {PAPER_USAGE_GAIN} | "
            f"{over_seeds(p, 'usage gain, CPU')}; {over_seeds(p, 'usage gain, memory')} |"
            for p in flex
        ),
        *(
            f"| {p}: Oversub's violated tasks over this policy's | {PAPER_VIOLATION_RATIO} | "
            f"{spread([ratio(each, p) for each in found])} |"
            for p in flex
        ),
        "| violated tasks, %: Oversub; FlexF; FlexL | "
        + "; ".join(
            f"{100 * published(p, PAPER_NODES).violated_fraction:.2g}" for p in ("oversub", *flex)
        )
        + " | "
        + "; ".join(over_seeds(p, "violated tasks, %") for p in ("oversub", *flex))
        + " |",
        "| order of memory deviation over the nodes, lowest first | Flex, LeastFit, Oversub | "
        f"over the mean: {order(found[0], 'memory deviation / mean')}; over the capacity: "
        f"{order(found[0], 'memory deviation / capacity')} |",
        "",
        f"All figures, seed {SEEDS[0]}:",
        "",
        *table(found[0]),
        "",
        f"## The same workload on {roomier} nodes",
        "",
        f"The workload offers {100 * load:.0f} % of the CPU of {PAPER_NODES} nodes. In the paper "
        "Oversub, FlexF and FlexL all admit 171 to 174 %, which is what a workload looks like "
        "that offers no more than that. This run isolates the difference: the same tasks on so "
        f"many nodes that {100 * offered(equal_load):.0f} % is on offer.",
        "",
        *table(equal),
        "",
        "## What explains the differences",
        "",
        f"- **Requests.** FlexF admits {found[0]['flex-f']['request CPU, %']:.0f} % of capacity "
        f"of the {100 * load:.0f} % on offer: the gain is bounded by the offer, which the "
        "published figures of the trace put at 187 to 209 %. With the paper's offer the gain is "
        f"{equal['flex-f']['request gain, CPU']:.2f}.",
        "- **Usage.** It follows the requests admitted. With the paper's offer the gain is "
        f"{equal['flex-f']['usage gain, CPU']:.2f} (CPU) and "
        f"{equal['flex-f']['usage gain, memory']:.2f} (memory).",
        "- **Violations of Oversub.** At "
        f"{found[0]['oversub']['memory used, %']:.0f} % memory used more nodes are close to full "
        f"than at the paper's 69 %. With the paper's offer {equal['oversub']['memory used, %']:.0f}"
        f" % is used and Oversub violates {equal['oversub']['violated tasks, %']:.2g} % of the "
        "running tasks (paper: 2.6 %). The authors' memory guarantee, which overflows, brings it "
        f"to {overflow['oversub']['violated tasks, %']:.2g} %.",
        f"- **Violations of Flex.** FlexF has {equal['flex-f']['violated tasks, %']:.2g} % with "
        "the paper's offer, where the paper has 0.7 %, so that the ratio to Oversub is "
        f"{ratio(equal, 'flex-f'):.0f} instead of 3.7. The overflow does not explain it "
        f"({overflow['flex-f']['violated tasks, %']:.2g} % with it). The overflow together with "
        "the authors' integer scores, their cache of the last tick and their ties brings Oversub "
        f"to {authors['oversub']['violated tasks, %']:.2g} %, FlexF to "
        f"{authors['flex-f']['violated tasks, %']:.2g} % and FlexL to "
        f"{authors['flex-l']['violated tasks, %']:.2g} %. What remains depends on how single tasks "
        "swing between measurements, which a synthetic workload can only assume; we do not know "
        "that it explains all of it.",
        "- **Balance.** Divided by the mean usage, LeastFit comes out worst here, because it "
        "uses half as much memory as the others and the division favours full clusters. "
        "The paper's text divides by the mean, its authors' script by the node size; divided by "
        "the capacity the order here is that of the paper's figure 9 wherever the table says so.",
        "",
    ]
    PAGE.write_text("\n".join(lines))


def order(found: dict[str, dict[str, float]], name: str) -> str:
    """Policies by a figure, lowest first."""
    return ", ".join(sorted(found, key=lambda label: found[label][name]))


if __name__ == "__main__":
    main()
