"""Reading a workload of any kind, by what its name says."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl

from flexsched.core.cluster import Cluster
from flexsched.core.errors import InputError
from flexsched.core.workload import Workload
from flexsched.traces import stored, synthetic
from flexsched.traces._arguments import typed_arguments
from flexsched.traces.scenario import read_nodes, read_scenario

_SCENARIO_SUFFIXES = (".yaml", ".yml", ".json")
_SYNTHETIC = "synthetic:"


def read_workload(where: str | Path) -> Workload:
    """Read a workload of any kind.

    Args:
        where: a stored workload (folder), a scenario file (``.yaml``, ``.yml``, ``.json``),
            or ``synthetic:NAME?key=value&...`` with the arguments of
            :func:`flexsched.traces.synthetic.synthesize`.

    Raises:
        InputError: nothing of the kind is there, or its content breaks the format.
        SettingError: an unknown key or a bad value of a synthetic workload.
        OutputError: no room for the scratch file of a large stored workload.
    """
    if isinstance(where, str) and where.startswith(_SYNTHETIC):
        name, _, query = where.removeprefix(_SYNTHETIC).partition("?")
        pairs = parse_qsl(query, keep_blank_values=True)
        return synthetic.synthesize(
            name, **typed_arguments(synthetic.synthesize, pairs, given=("name",), where=where)
        )
    path = Path(where)
    if path.is_dir():
        return stored.read_workload(path)
    if path.suffix in _SCENARIO_SUFFIXES:
        return read_scenario(path)
    raise InputError(
        f"expected a workload, got {'another kind of file' if path.exists() else 'no such file'}",
        where=str(path),
        remedy="name a stored workload (folder), a scenario file (.yaml, .yml, .json) "
        "or synthetic:google2011",
    )


def read_cluster(where: str | Path) -> Cluster:
    """Read the nodes of a cluster.

    Args:
        where: a scenario file, of which only the nodes count (it needs no tasks), or a stored
            workload (folder) with nodes.

    Raises:
        InputError: no nodes are there, or the file breaks its format.
    """
    path = Path(where)
    if path.is_dir():
        return stored.read_nodes(path)
    if path.suffix in _SCENARIO_SUFFIXES:
        return read_nodes(path)
    raise InputError(
        f"expected a cluster, got {'another kind of file' if path.exists() else 'no such file'}",
        where=str(path),
        remedy="name a scenario file (.yaml, .yml, .json) with nodes, or a stored workload",
    )
