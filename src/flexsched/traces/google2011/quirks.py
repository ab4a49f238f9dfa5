"""Every irregularity that the reader counts, and the rule it follows there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from flexsched.traces.google2011.schema import EVICT, FAIL, FINISH, KILL, LOST

#: Counts by name; the names are the keys of :data:`RULES`.
Quirks = Counter[str]

#: Resubmits are counted by how the attempt before them ended.
RESUBMITS: Mapping[int, str] = MappingProxyType(
    {
        EVICT: "resubmit_after_evict",
        FAIL: "resubmit_after_fail",
        FINISH: "resubmit_after_finish",
        KILL: "resubmit_after_kill",
        LOST: "resubmit_after_lost",
    }
)

#: Meaning of the ``missing info`` values 0, 1 and 2.
MISSING_INFO = (
    "missing_info_snapshot_but_no_transition",
    "missing_info_no_snapshot_or_transition",
    "missing_info_exists_but_no_creation",
)

#: Name -> what is counted and what is done about it.
RULES: Mapping[str, str] = MappingProxyType(
    {
        # Files
        "part_named_twice": "paths that lead to a file already named; read once",
        "part_without_rows": "files without a single row; skipped",
        "task_events_scientific_notation": "rows with an exponent in a number; read exactly",
        "machine_events_scientific_notation": "rows with an exponent in a number; read exactly",
        "task_usage_scientific_notation": "rows with an exponent in a number; read exactly",
        # Task events, row by row
        "time_zero_rows": "rows of the population that was there at the start; kept, at time 0",
        "after_trace_end_rows": "rows at time 2^63-1; not applied, the attempt outlives the trace",
        MISSING_INFO[0]: "rows that a snapshot implies, though no transition was logged; kept",
        MISSING_INFO[1]: "rows made up from neither snapshot nor transition; kept",
        MISSING_INFO[2]: "rows of tasks whose creation was not logged; kept",
        "request_empty_rows": "rows without a CPU or memory request; an earlier or later one holds",
        "request_cpu_zero_rows": "rows with a CPU request of 0 (rounded by the trace); kept as 0",
        "request_memory_zero_rows": "rows with a memory request of 0; kept as 0",
        "machine_empty_on_submit": "SUBMIT rows without a machine, as usual",
        "machine_empty_on_end": "rows that end an attempt without naming its machine; applied",
        # Task events, against the life of the task
        "request_changed_at_schedule": "attempts whose SCHEDULE row asks something else than "
        "their SUBMIT row; the SCHEDULE row, the later one, holds",
        "request_first_known_at_schedule": "attempts whose SUBMIT row lacks the request that "
        "their SCHEDULE row has; that one holds",
        "request_filled_with_median": "attempts whose request no row tells; they get the median "
        "request of all attempts",
        "update_pending": "updates before the start; the new request and priority hold",
        "update_running": "updates of a running attempt; the request it was started with holds",
        "update_running_request_ignored": "those of them that carry another request",
        "update_without_submit": "updates of tasks that are not there; skipped",
        "submit_while_pending": "SUBMIT rows of a task that already waits; skipped",
        "submit_while_running": "SUBMIT rows of a running task; its attempt ends there as lost",
        "schedule_without_submit": "SCHEDULE rows of tasks that are not there; they count as "
        "submitted and started at that time",
        "schedule_while_running": "SCHEDULE rows of a running task; skipped",
        "end_without_submit": "rows that end a task that is not there; skipped",
        **dict.fromkeys(RESUBMITS.values(), "attempts after an earlier one that ended so; kept"),
        # Attempts
        "never_started": "attempts that ended while they waited; they get the fallback length "
        "(merged attempts only if none of the task ever started)",
        "never_started_pending_at_end": "attempts still waiting at the end of the data; the same",
        "request_above_machine": "attempts that ask more than the machine they ran on ever had; "
        "kept as they are",
        # Machines
        "machine_add_without_capacity": "ADD rows without capacity; the next row of the machine "
        "that has one holds",
        "machine_capacity_filled": "presences for which no row of the machine tells a capacity; "
        "they get the commonest one",
        "machine_inferred": "machines that run tasks at time 0 without an ADD row; present from "
        "0 on, with the capacity of their next row or the commonest one",
        "machine_update_same": "UPDATE rows that leave the capacity as it is; nothing happens",
        "machine_update_changed": "UPDATE rows with another capacity; the node ends and a new one "
        "(m1#2) begins",
        "machine_returned": "ADD rows of a machine that was there before; a new node (m1#2) begins",
        "machine_add_while_present": "ADD rows of a machine that is there; skipped",
        "machine_update_while_absent": "UPDATE rows of a machine that is not there; skipped",
        "machine_remove_while_absent": "REMOVE rows of a machine that is not there; skipped",
        "machine_presence_empty": "presences that end when they begin; left out",
        "machine_event_after_end": "machine rows after the last task event read; not applied",
        # Usage rows
        "usage_window_short": "windows shorter than 300 s; they weigh by their length",
        "usage_window_long": "windows longer than 300 s; cut to 300 s",
        "usage_window_empty": "windows that end before they begin or at once; skipped",
        "usage_value_empty": "rows without CPU rate or memory; skipped",
        "usage_cpu_zero": "rows with a CPU rate of 0; kept as 0",
        "usage_memory_zero": "rows with a memory usage of 0; kept as 0",
        "usage_peak_below_mean": "rows whose maximum CPU rate is below the mean; only the mean "
        "is used",
        "usage_max_io_empty": "rows without maximum disk I/O time, which is not used",
        "usage_cpi_empty": "rows without cycles per instruction, which is not used",
        "usage_mai_empty": "rows without memory accesses per instruction, which is not used",
        "usage_without_task": "rows of tasks without events; skipped",
        "usage_outside_attempt": "rows at a time at which their task did not run; skipped",
        "usage_other_machine": "rows that name another machine than their attempt's; kept",
        "usage_after_end": "rows that begin after the hours asked for; skipped",
        "usage_ratio_cpu_left_out": "rows whose attempt asks 0 CPU: no usage/request ratio",
        "usage_ratio_memory_left_out": "rows whose attempt asks 0 memory: no usage/request ratio",
        # Series
        "series_windows_filled": "windows between or before measured ones; they hold the last "
        "measured value, or the first where none came before",
        "series_windows_overlapping": "windows measured more than once over; weighted mean",
        "series_past_measurement": "measured series that end before their attempt; the last value "
        "holds",
        "series_cut_at_24h": "drawn series cut at 24 h; the last value holds",
    }
)
