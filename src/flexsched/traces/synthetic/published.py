"""What is known of the workload: sizes, levels and shapes, with their sources.

Two sources are mixed, and where they conflict the first wins:

1. The Flex paper, section 2.2 (means over the whole Google trace: figure 1 and the words
   about figures 3 to 5) and section 5 (714,030 tasks in 24 h on 4000 nodes).
2. The Google cluster trace 2011-2 (CC-BY 4.0), task_events parts 0 to 3 (the first
   5.6 h) and the first 10,000 rows of task_usage part 0 (one window, mostly old jobs).
"""

from __future__ import annotations

from dataclasses import dataclass

from flexsched.traces.synthetic.strata import Quantiles

#: The workload of the paper's section 5, and the size of one of its nodes.
PAPER_TASKS = 714_030
PAPER_NODES = 4000
PAPER_HOURS = 24.0
NODE_CPU_CORES = 64.0
NODE_MEMORY_BYTES = 128 * 2.0**30
#: Tasks that are there at time 0 (132,982 running, 11,357 pending); the others arrive.
STARTING_TASKS = 144_339
ARRIVING_TASKS = PAPER_TASKS - STARTING_TASKS

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
#: Length of a usage window in the trace.
WINDOW_S = 300.0
#: The trace's own length; what lives longer is endless.
TRACE_S = 29 * DAY_S
#: Span of task_events parts 0 to 3 (600 to 20,644 s).
OBSERVED_S = 20_044.0

#: Share of tasks running at time 0 that ended within ``OBSERVED_S``, by priority.
ENDED_SHARE = {0: 0.356, 1: 0.269, 2: 0.283, 8: 0.0235, 9: 0.0184, 10: 0.0148, 11: 0.0018}
#: Duration in seconds of attempts that are not among the long ones. The published quantiles are
#: of attempts that started and ended within ``OBSERVED_S``; here each duration d weighs
#: 1 / (1 - d / OBSERVED_S), because those that started too late were not seen to end; the
#: upper ones are lowered by what the shortest of the long ones add.
SHORT_LIFE_S = Quantiles(
    (0.0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0),
    (5.0, 24.0, 99.0, 293.0, 900.0, 3700.0, 6800.0, 11_500.0, 14_000.0),
)

#: Tasks per job of those there at time 0 and of new jobs: probabilities, then by priority.
_SIZES_AT = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99, 0.995, 1.0)
_SYSTEM_SIZES = (730, 1931, 2321, 2710, 2905, 3100, 3295, 3489, 3684, 3762, 3840, 3860, 3879)
STARTING_JOB_TASKS = {
    0: Quantiles(_SIZES_AT, (1, 1, 1, 1, 2, 2, 10, 32, 250, 400, 1892, 3409, 20_010)),
    1: Quantiles(_SIZES_AT, (1, 1, 1, 1, 2, 2, 3, 7, 20, 58, 203, 403, 2000)),
    2: Quantiles(_SIZES_AT, (1, 2, 11, 50, 89, 114, 213, 333, 514, 772, 3020, 4031, 4408)),
    8: Quantiles(_SIZES_AT, (1, 1, 1, 2, 3, 11, 50, 57, 100, 100, 109, 252, 300)),
    9: Quantiles(_SIZES_AT, (1, 2, 3, 5, 6, 10, 17, 40, 120, 204, 352, 809, 3090)),
    10: Quantiles(_SIZES_AT, (1, 1, 1, 1, 1, 1, 1, 1, 3, 7, 28, 30, 58)),
    11: Quantiles(_SIZES_AT, _SYSTEM_SIZES),
}
ARRIVING_JOB_TASKS = {
    0: Quantiles(_SIZES_AT, (1, 1, 1, 1, 1, 1, 1, 2, 17, 38, 497, 1000, 1200)),
    1: Quantiles(_SIZES_AT, (1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 79, 1375, 4000)),
    2: Quantiles(_SIZES_AT, (1, 1, 9, 14, 15, 32, 50, 100, 319, 837, 1050, 1050, 2890)),
    8: Quantiles(_SIZES_AT, (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 50, 50, 50)),
    9: Quantiles(_SIZES_AT, (1, 1, 1, 1, 1, 1, 1, 1, 3, 11, 120, 122, 128)),
}


@dataclass(frozen=True)
class Resource:
    """How tasks of one profile use one resource.

    Attributes:
        level: usage / request of the whole profile, weighted by request and time.
        ratio: usage / request of its jobs, up to a common factor that meets ``level``.
        job_std: standard deviation of the variation that tasks of a job share, over the mean.
        own_std: the same of a task's own variation.
        daily_swing: amplitude of the daily wave, over the mean.
        burst_probability: share of windows in which a task bursts.
        burst_factor: usage in a burst over usage without one.
    """

    level: float
    ratio: Quantiles
    job_std: float
    own_std: float
    daily_swing: float = 0.0
    burst_probability: float = 0.0
    burst_factor: float = 1.0

    @property
    def burst_mean(self) -> float:
        """Mean of the factor that bursts multiply usage by."""
        return 1 + self.burst_probability * (self.burst_factor - 1)


@dataclass(frozen=True)
class Profile:
    """Tasks of one range of priorities: their class in the paper, and how they use resources."""

    task_class: str
    priorities: tuple[int, ...]
    cpu: Resource
    memory: Resource


_RATIO_AT = (0.0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
#: Classes of figure 5, least important first.
CLASSES = ("batch", "production", "system")
#: CPU levels of priorities 9 to 11 are the trace's; batch makes up the cluster's 0.39. Memory
#: levels of priorities 9 to 11 are lowered alike, so that the cluster comes to 0.56.
PROFILES = (
    Profile(
        "batch",
        (0, 1, 2, 8),
        Resource(0.315, Quantiles(_RATIO_AT,
                                  (1e-3, 2e-3, 0.03, 0.15, 0.42, 0.75, 0.95, 1.5, 3.0)),
                 job_std=0.12, own_std=0.18, daily_swing=0.1,
                 burst_probability=0.01, burst_factor=2.5),
        Resource(0.485, Quantiles(_RATIO_AT,
                                  (0.01, 0.03, 0.43, 0.53, 0.6, 0.66, 0.7, 0.75, 0.85)),
                 job_std=0.08, own_std=0.11, daily_swing=0.02),
    ),
    Profile(
        "production",
        (9,),
        Resource(0.466, Quantiles(_RATIO_AT,
                                  (2e-3, 7e-3, 0.073, 0.2, 0.541, 0.75, 0.85, 0.95, 1.1)),
                 job_std=0.1, own_std=0.12, daily_swing=0.1),
        Resource(0.595, Quantiles(_RATIO_AT,
                                  (0.02, 0.06, 0.52, 0.63, 0.66, 0.68, 0.7, 0.72, 0.75)),
                 job_std=0.1, own_std=0.1, daily_swing=0.02),
    ),
    Profile(
        "system",
        (10,),
        Resource(0.201, Quantiles(_RATIO_AT,
                                  (4e-3, 9e-3, 0.04, 0.061, 0.229, 0.6, 0.8, 1.3, 1.6)),
                 job_std=0.05, own_std=0.2, burst_probability=0.004, burst_factor=12.0),
        Resource(0.620, Quantiles(_RATIO_AT,
                                  (0.05, 0.15, 0.5, 0.65, 0.72, 0.77, 0.8, 0.85, 0.9)),
                 job_std=0.07, own_std=0.08),
    ),
    Profile(
        "system",
        (11,),
        Resource(0.132, Quantiles(_RATIO_AT,
                                  (0.11, 0.12, 0.125, 0.13, 0.135, 0.14, 0.145, 0.15, 0.16)),
                 job_std=0.05, own_std=0.15, burst_probability=0.004, burst_factor=12.0),
        Resource(0.670, Quantiles(_RATIO_AT,
                                  (0.6, 0.63, 0.65, 0.67, 0.69, 0.7, 0.71, 0.72, 0.74)),
                 job_std=0.05, own_std=0.06),
    ),
)  # fmt: skip
