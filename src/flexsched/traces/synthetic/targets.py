"""Published figures that a workload is compared with (never with what schedulers score).

Sources as in ``published``. Where figures conflict, the load of the paper's operating point
and the cluster's usage level win; the others stay in the table with their difference:

- requests of tasks at time 0: the quantiles and means (0.053 CPU, 0.042 memory) describe each
  task's first row and come to 191 % and 152 % of 4000 nodes, not to 209 % and 164 %;
- arrivals a minute (533 on average) count resubmissions; 570,000 new tasks a day are 396, so
  only the shape (median and maximum over the mean) is compared;
- jobs an hour are means over 29 days; with 29 tasks a job they come to 667,000 tasks a day;
- usage / request in one window is biased to old jobs, most of them of the system class: its
  shape is compared after division by its level, with the priorities weighted as there.
"""

from __future__ import annotations

from typing import TypeAlias

#: Target by name of a statistic ("p50", "mean", "max").
Figures: TypeAlias = dict[str, float]

RUNNING_REQUESTS = {"CPU": 1.87, "memory": 1.37}
STARTING_REQUESTS = {"CPU": 2.09, "memory": 1.64}
STARTING: dict[str, Figures] = {
    "CPU": {"p5": 0.005, "p25": 0.0125, "p50": 0.0438, "p75": 0.0625, "p90": 0.125,
            "p95": 0.163, "p99": 0.31, "max": 0.5, "mean": 0.053},
    "memory": {"p5": 0.0028, "p50": 0.022, "p75": 0.056, "p90": 0.118, "p99": 0.159,
               "mean": 0.042},
}  # fmt: skip
ARRIVING: dict[str, Figures] = {
    "CPU": {"p25": 0.0125, "p50": 0.025, "p75": 0.031, "p95": 0.069, "p99": 0.19, "mean": 0.030},
    "memory": {"p50": 0.025, "p75": 0.033, "p95": 0.048, "p99": 0.080, "mean": 0.024},
}
COMMONEST = {"CPU": 0.02499, "memory": 0.03339}

STARTING_TASKS = {0: 42_226, 1: 17_566, 2: 25_385, 8: 3_108, 9: 48_702, 10: 811, 11: 6_541}
ARRIVING_TASKS = {0: 16_270, 1: 12_641, 2: 98_703, 8: 1_389, 9: 1_194}

ARRIVALS_PER_DAY = 570_000
ARRIVALS_MEDIAN_TO_MEAN = 195 / 533
ARRIVALS_MAX_TO_MEAN = 11_284 / 533
JOBS_PER_HOUR: Figures = {"p5": 610, "p50": 884, "p95": 1539, "mean": 959}
JOB_TASKS: Figures = {"p75": 1, "p90": 15, "p95": 80, "p99": 1050, "mean": 29}
JOB_DURATION: Figures = {"p25": 62, "p50": 176, "p75": 440, "p90": 1650, "p95": 3714, "p99": 29_766}
ATTEMPT_DURATION: Figures = {
    "p5": 23, "p25": 92, "p50": 259, "p75": 667, "p90": 2521, "p95": 5133, "p99": 9426,
}  # fmt: skip
#: Share of tasks running at time 0 that ended within the observed span, by priority.
ENDED: dict[str | int, float] = {"all": 0.18, 0: 0.36, 9: 0.018, 11: 0.002}

USAGE_LEVEL = {"CPU": 0.43 / 1.1, "memory": 0.50 / 0.90}
USAGE_OF_NODES = {"CPU": 0.71, "memory": 0.73}
#: Priorities of the 10,000 tasks of the published window.
SAMPLE_TASKS = {0: 262, 1: 1411, 8: 5, 9: 3453, 10: 259, 11: 4601}
_SAMPLE_LEVEL = {"CPU": 0.283, "memory": 0.687}
RATIO_SHAPE: dict[str, Figures] = {
    name: {quantile: value / _SAMPLE_LEVEL[name] for quantile, value in figures.items()}
    for name, figures in {
        "CPU": {"p25": 0.06, "p50": 0.124, "p75": 0.17, "p90": 0.51, "p95": 0.74, "p99": 1.15},
        "memory": {"p5": 0.10, "p25": 0.59, "p50": 0.73, "p75": 0.78, "p95": 0.90},
    }.items()
}
ABOVE_REQUEST = {"CPU": 0.024, "memory": 0.008}
PRIORITY_LEVEL = {
    "CPU": {1: 0.038, 9: 0.466, 10: 0.201, 11: 0.132},
    "memory": {1: 0.486, 9: 0.680, 10: 0.700, 11: 0.760},
}
