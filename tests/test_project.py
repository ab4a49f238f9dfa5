"""The project itself: what its pages say is what its files do."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import flexsched as fs
from flexsched.cli import main

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "flexsched"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
README = (ROOT / "README.md").read_text()
CI = (ROOT / ".ci" / "run").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
#: Address parts of package indexes, in pieces so that this file does not hold them itself.
REGISTRIES = (
    "pypi" + ".org",
    "python" + "hosted",
    "crates" + ".io",
    "npm" + "js",
    "arti" + "factory",
)
#: Absolute paths that only exist on somebody's machine.
MACHINE_PATH = re.compile(r"(?<![\w./~$}-])/(?:root|work|home|Users|mnt)/\w")
BINARY = {".npz", ".png", ".gz", ".parquet"}


def blocks(language: str) -> list[str]:
    return [content.strip() for kind, content in BLOCKS if kind == language]


def tracked_files() -> list[Path]:
    """Files of the repository, or of the folder where it is no repository."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no git checkout, so nothing tells which files belong to it")
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def requirement_names(requirements: list[str]) -> list[str]:
    return [re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in requirements]


# -- README -----------------------------------------------------------------------------------


def test_two_lines_install_and_run_everything() -> None:
    reproduce, tests, *_ = blocks("sh")
    assert "\n" not in reproduce
    assert "\n" not in tests
    assert reproduce.endswith("flexsched reproduce")
    assert tests.endswith("pytest")


def test_ci_runs_the_same_line_where_nothing_may_be_missing() -> None:
    line = blocks("sh")[1]
    strict = CI.index("export FLEXSCHED_TESTS_STRICT=1\n")
    assert strict < CI.index(f"\n{line} || exit\n")
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_every_command_of_the_readme_exists(capsys: pytest.CaptureFixture[str]) -> None:
    commands = set(re.findall(r"`flexsched ((?:trace )?[a-z]+)\b", README))
    assert {"reproduce", "compare", "simulate", "report", "trace import"} <= commands
    for command in commands:
        assert main([*command.split(), "--help"]) == 0, command
        assert "Example:" in capsys.readouterr().out


def test_example_of_the_readme_prints_what_the_readme_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    command = next(block for block in blocks("sh") if block.startswith("flexsched compare"))
    program, *arguments = command.split()
    without_files = arguments[: arguments.index("--out")]
    assert program == "flexsched"
    assert main(without_files) == 0
    assert capsys.readouterr().out.startswith(blocks("text")[0])


def test_excerpt_of_the_example_is_from_the_example() -> None:
    example = (ROOT / "examples" / "full-cluster.yaml").read_text()
    lines = blocks("yaml")[0].splitlines()
    assert set(lines) <= set(example.splitlines())


def test_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(blocks("python")[0], names)
    assert "FlexF" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    "page", sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("*.md"))
    + sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")),
)  # fmt: skip
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target


# -- formats ----------------------------------------------------------------------------------


def test_every_column_and_key_of_a_run_is_described() -> None:
    run = fs.simulate(fs.read_workload(str(ROOT / "examples" / "full-cluster.yaml")))
    page = (ROOT / "docs" / "formats.md").read_text()
    words = set(re.findall(r"\w+", page))
    columns = {
        re.sub(r"_(cpu|memory)\b|_(cpu|memory)(?=_)", "_R", column)
        for table in (run.ticks, run.tasks)
        for column in table.column_names
    }
    assert columns <= words
    assert {column.replace("_cpu_", "_R_") for column in run.nodes.column_names
            if column.startswith("usage_cpu")} <= words  # fmt: skip
    nested = {key for value in run.summary.values() if isinstance(value, dict) for key in value}
    keys = {re.sub("_(cpu|memory)$", "_R", key) for key in run.summary}
    assert keys | nested <= words


# -- architecture -----------------------------------------------------------------------------


def test_every_folder_of_the_package_has_its_sentence() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    folders = {path.parent for path in tracked_files() if PACKAGE in path.parents}
    for folder in folders - {PACKAGE}:
        name = f"{folder.relative_to(PACKAGE).as_posix()}/"
        assert re.search(rf"^- `{re.escape(name)}` \w+", page, re.MULTILINE), name
    for name in re.findall(r"^- `([\w/]+)/`", page, re.MULTILINE):
        assert (ROOT / name).is_dir() or (PACKAGE / name).is_dir(), name


def test_imports_go_down_only() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_package_ships_that_it_is_typed() -> None:
    assert PACKAGE / "py.typed" in tracked_files()
    # The wheel is the whole folder, without exceptions.
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel == {"packages": ["src/flexsched"]}


# -- decisions, changes -----------------------------------------------------------------------


def test_every_dependency_has_its_reason() -> None:
    page = (ROOT / "docs" / "decisions" / "0001-dependencies.md").read_text()
    reasons = dict(re.findall(r"^\| ([\w.-]+) \| (\w.*) \|$", page, re.MULTILINE))
    named = (
        requirement_names(PROJECT["project"]["dependencies"])
        + requirement_names(PROJECT["dependency-groups"]["dev"])
        + requirement_names(PROJECT["build-system"]["requires"])
    )
    assert set(named) | {"uv"} == set(reasons) - {"package"}


def test_decisions_have_their_parts() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    for number, page in enumerate(pages, start=1):
        text = page.read_text()
        assert page.name.startswith(f"{number:04d}-")
        assert text.startswith(f"# {number}. ")
        for part in ("Context", "Choice", "Consequences"):
            assert f"\n## {part}\n" in text, page.name


def test_changelog_names_the_version() -> None:
    version = PROJECT["project"]["version"]
    assert importlib.metadata.version("flexsched") == version
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text()


# -- files ------------------------------------------------------------------------------------


def test_no_file_names_a_machine_or_a_registry() -> None:
    for path in tracked_files():
        if path.suffix in BINARY:
            continue
        text = path.read_text()
        assert not MACHINE_PATH.search(text), path
        assert not [name for name in REGISTRIES if name in text.casefold()], path


def test_no_lock_file_is_tracked() -> None:
    assert "uv.lock" not in {path.name for path in tracked_files()}
