from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from google2011_rows import ADD, REMOVE, SCHEDULE, SUBMIT, UPDATE, event, machine, write

from flexsched.core.cluster import Cluster
from flexsched.core.errors import InputError
from flexsched.core.workload import Workload
from flexsched.traces.google2011 import read


def load(root: Path, *rows: str, on: int = 5) -> Workload:
    events = [
        event(0, SUBMIT),
        event(0, SCHEDULE, machine=on),
        event(10_000, SUBMIT, index=1),
    ]
    return read([write(root, events, rows)], usage="request", node_cores=64, node_memory_bytes=64)


def spans(nodes: Cluster | None) -> list[tuple[str, float, float, float]]:
    assert nodes is not None
    return list(
        zip(
            nodes.names,
            nodes.capacity[:, 0].tolist(),
            nodes.from_s.tolist(),
            nodes.until_s.tolist(),
            strict=True,
        )
    )


def test_running_tasks_sit_on_the_nodes_of_their_machines(tmp_path):
    workload = load(tmp_path, machine(0, 9, ADD, 1, 1), machine(0, 5, ADD, 0.5, 0.25))
    assert workload.start_node.tolist() == [1, -1]
    assert workload.nodes is not None
    assert workload.nodes.capacity.tolist() == [[64, 64], [32, 16]]


def test_every_return_of_a_machine_is_a_node_of_its_own(tmp_path):
    workload = load(
        tmp_path,
        machine(0, 5, ADD),
        machine(700, 5, REMOVE),
        machine(800, 5, ADD),
        machine(900, 5, REMOVE),
        machine(1000, 5, ADD),
    )
    assert spans(workload.nodes) == [
        ("m5", 32, 0, 700),
        ("m5#2", 32, 800, 900),
        ("m5#3", 32, 1000, np.inf),
    ]
    assert workload.provenance.quirks["machine_returned"] == 2
    assert workload.start_node.tolist() == [0, -1]


def test_changed_capacity_begins_a_new_node_and_an_equal_one_does_not(tmp_path):
    workload = load(
        tmp_path,
        machine(0, 5, ADD, 0.5),
        machine(700, 5, UPDATE, 0.5),
        machine(800, 5, UPDATE, 0.25),
    )
    assert spans(workload.nodes) == [("m5", 32, 0, 800), ("m5#2", 16, 800, np.inf)]
    assert workload.provenance.quirks["machine_update_same"] == 1
    assert workload.provenance.quirks["machine_update_changed"] == 1


def test_capacity_missing_from_add_comes_from_the_next_row(tmp_path):
    workload = load(
        tmp_path,
        machine(0, 5, ADD, 0.5),
        machine(0, 6, ADD, 0.5),
        machine(0, 7, ADD, 0.25),
        machine(700, 8, ADD, "", ""),
        machine(701, 8, UPDATE, 0.25),
        machine(800, 9, ADD, "", ""),
    )
    assert [span[1] for span in spans(workload.nodes)] == [32, 32, 16, 16, 32]
    assert workload.provenance.quirks["machine_add_without_capacity"] == 2
    # Nothing ever tells that of machine 9: it gets the commonest.
    assert workload.provenance.quirks["machine_capacity_filled"] == 1


def test_machine_that_runs_tasks_unlisted_is_there_from_the_start(tmp_path):
    rows = [machine(0, 7, ADD, 0.25), machine(900_000, 5, ADD, 1.0)]
    workload = load(tmp_path, *rows)
    assert spans(workload.nodes) == [("m5", 64, 0, np.inf), ("m7", 16, 0, np.inf)]
    assert workload.start_node.tolist() == [0, -1]
    assert workload.provenance.quirks["machine_inferred"] == 1
    assert workload.provenance.quirks["machine_event_after_end"] == 1


def test_rows_that_contradict_each_other_are_counted(tmp_path):
    workload = load(
        tmp_path,
        machine(0, 5, ADD),
        machine(600, 5, ADD),
        machine(700, 6, REMOVE),
        machine(700, 6, UPDATE),
        machine(800, 7, ADD),
        machine(800, 7, REMOVE),
    )
    assert spans(workload.nodes) == [("m5", 32, 0, np.inf)]
    quirks = workload.provenance.quirks
    for name in (
        "machine_add_while_present",
        "machine_remove_while_absent",
        "machine_update_while_absent",
        "machine_presence_empty",
    ):
        assert quirks[name] == 1, name


def test_rows_out_of_order_are_refused(tmp_path):
    with pytest.raises(InputError, match="row 2, field time"):
        load(tmp_path, machine(700, 5, ADD), machine(600, 6, ADD))


def test_capacity_that_nobody_knows_is_refused(tmp_path):
    with pytest.raises(InputError, match="capacity"):
        load(tmp_path, machine(0, 5, ADD, "", ""))
