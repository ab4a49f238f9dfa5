"""Where compiled code is kept, and that no change of source is missed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import flexsched
from flexsched.core import jit
from flexsched.core.policies import LeastFit

SOURCE = """
from flexsched.core.jit import kernel


def plain(value):
    return value + 1
"""


def load(path: Path, name: str) -> ModuleType:
    """A module from a file, anew each time."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Path | None]:
    """``cache_folder`` without its memory, over a core of its own in a temporary folder."""
    core = tmp_path / "core"
    (core / "policies").mkdir(parents=True)
    (core / "qos.py").write_text("x = 1\n")
    (core / "policies" / "flex.py").write_text("y = 1\n")
    monkeypatch.setattr(jit, "_CORE", core)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    return jit.cache_folder.__wrapped__


def test_the_folder_is_named_after_the_source(
    folder_of: Callable[..., Path | None], tmp_path: Path
) -> None:
    package = tmp_path / "simulator"
    package.mkdir()
    (package / "scan.py").write_text("z = 1\n")
    seen = [folder_of(package)]
    assert folder_of(package) == seen[0]
    for changed in ("core/qos.py", "core/policies/flex.py", "simulator/scan.py"):
        file = tmp_path / changed
        file.write_text(file.read_text() + "# changed\n")
        seen.append(folder_of(package))
    seen.append(folder_of(package, "a user's rule"))
    seen.append(folder_of(package, "a user's rule, changed"))
    assert len(set(seen)) == len(seen)
    assert all(folder is not None and folder.is_dir() for folder in seen)
    assert {folder.parent for folder in seen if folder} == {tmp_path / "cache"}


def test_other_files_do_not_matter(folder_of: Callable[..., Path | None], tmp_path: Path) -> None:
    before = folder_of(tmp_path / "core")
    (tmp_path / "core" / "notes.txt").write_text("nothing to compile")
    assert folder_of(tmp_path / "core") == before


def test_where_nothing_can_be_written_there_is_no_folder(
    folder_of: Callable[..., Path | None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert folder_of(tmp_path / "core") is None


def test_root_by_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert jit.cache_root() == tmp_path
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert jit.cache_root() == tmp_path / "xdg" / "flexsched"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "me")
    assert jit.cache_root() == tmp_path / "me" / ".cache" / "flexsched"


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="nothing is compiled")
def test_compilation_is_told_once_and_loading_never(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "kernels_here.py").write_text(SOURCE)
    plain = load(tmp_path / "kernels_here.py", "kernels_here").plain
    told: list[str] = []
    with jit.compilation_told(lambda: told.append("compiling")):
        first = jit.kernel(plain)
        assert first(1) == 2
        assert first(1.0) == 2.0  # another type is compiled too, but was told of
    assert told == ["compiling"]
    with jit.compilation_told(lambda: told.append("again")):
        assert jit.kernel(plain)(1) == 2  # from the cache
    assert told == ["compiling"]


def test_our_rules_share_one_kernel() -> None:
    def step(rule: Any) -> float:
        return 0.0

    assert jit.for_rule(step, LeastFit().rule()) is step


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="nothing is compiled")
def test_a_users_rule_gets_a_kernel_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "rule_here.py").write_text(
        "from typing import NamedTuple\n\n\nclass Rule(NamedTuple):\n    weight: float\n"
    )
    (tmp_path / "steps_here.py").write_text(
        "from flexsched.core.jit import kernel\n\n\n"
        "@kernel\ndef doubled(rule):\n    return 2.0 * rule.weight\n"
    )
    rule = load(tmp_path / "rule_here.py", "rule_here").Rule(1.5)
    shared = load(tmp_path / "steps_here.py", "steps_here").doubled
    own = jit.for_rule(shared, rule)
    assert own is not shared
    assert own(rule) == 3.0
    assert jit.for_rule(shared, rule) is own
    assert shared.signatures == []


SCORE_ONE_NODE = """
import sys
import numpy as np
from flexsched.core.placement import make_index, rebuild
from flexsched.core.policies import FlexF
index = make_index(np.ones((1, 1)), np.ones(1, np.int64))
index.present[:] = True
rebuild(FlexF().rule(), index)
print(index.key[0], sum(rebuild.stats.cache_hits.values()))
"""


def test_editing_a_callee_in_another_file_recompiles(tmp_path: Path) -> None:
    """Numba alone would go on using the old code: it looks at the outermost function's file."""
    package = tmp_path / "copy" / "flexsched"
    shutil.copytree(Path(flexsched.__file__).parent, package,
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip

    def score() -> tuple[float, int]:
        environment = {**os.environ, "PYTHONPATH": str(package.parent), "NUMBA_DISABLE_JIT": "0",
                       "NUMBA_CACHE_DIR": str(tmp_path / "cache")}  # fmt: skip
        done = subprocess.run([sys.executable, "-c", SCORE_ONE_NODE], env=environment,
                              capture_output=True, text=True, timeout=120, check=True)  # fmt: skip
        key, hits = done.stdout.split()
        return float(key), int(hits)

    assert score() == (1.0, 0)
    assert score() == (1.0, 1)
    file = package / "core" / "policies" / "_flex.py"
    text = file.read_text()
    assert "least if least < np.inf" in text
    file.write_text(text.replace("least if least < np.inf", "5.0 + least if least < np.inf"))
    assert score() == (6.0, 0)
