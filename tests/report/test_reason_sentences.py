"""Sentences on unplaced tasks, of small scenarios whose loads are known by hand."""

import flexsched as fs


def sentence(tmp_path, scenario):
    path = tmp_path / "scenario.yaml"
    path.write_text(scenario)
    run = fs.simulate(fs.read_workload(path), None, fs.LeastFit())
    return {row["name"]: row["reason_detail"] for row in run.tasks.to_pylist()}["late"]


def test_nodes_short_of_different_resources_are_put_together(tmp_path):
    said = sentence(
        tmp_path,
        """
horizon: 5m
nodes:
  - {name: n1, cpu: 60, memory: 8Gi}
  - {name: n2, cpu: 60, memory: 8Gi}
tasks:
  - {name: a, duration: 5m, running_on: n1, requests: {cpu: 50, memory: 1Gi}}
  - {name: b, duration: 5m, running_on: n2, requests: {cpu: 12.153, memory: 7Gi}}
  - {name: late, requests: {cpu: 16, memory: 4Gi}}
""",
    )
    assert said == (
        "CPU short on 1 of 2 nodes (asks 16 cores of CPU, at most 47.8 cores of CPU free); "
        "memory short on 1 of 2 nodes (asks 4.0Gi of memory, at most 7.0Gi of memory free); "
        "no node has room in all of them at once"
    )


def test_one_resource_short_everywhere_says_it_all(tmp_path):
    said = sentence(
        tmp_path,
        """
horizon: 5m
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
tasks:
  - {name: a, duration: 5m, running_on: n1, requests: {cpu: 3, memory: 1Gi}}
  - {name: late, requests: {cpu: 2, memory: 1Gi}}
""",
    )
    assert said == "CPU short on 1 of 1 nodes (asks 2 cores of CPU, at most 1 core of CPU free)"
