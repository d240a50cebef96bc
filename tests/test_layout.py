"""The repository's shape: packages, import directions, sizes of files, what goes without
annotations.
"""

from __future__ import annotations

import ast
import functools
import graphlib
import importlib
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import plyground
from helpers import GAMES
from plyground.envs.loading import packages

ROOT = Path(__file__).resolve().parent.parent
CORE = ("agents", "commands", "envs", "evaluation", "training")
FOLDERS = (*CORE, "extras")
MAY_IMPORT = {
    "envs": {"envs"},
    "agents": {"agents", "envs"},
    "training": {"training", "agents", "envs"},
    "evaluation": {"evaluation", "agents", "envs"},
    "commands": {"commands", "training", "evaluation", "agents", "envs"},
    "extras": {"extras", "commands", "training", "evaluation", "agents", "envs"},
}
# Inside a folder a module imports only from its own layer and from those before it. A name is a
# sub-folder or a file; modules not named belong to the layer marked "*".
LAYERS = {
    "envs": (
        ("compiled", "loading", "pictures", "specification", "profile"),
        ("rules", "optional", "declaration", "rules_types"),
        ("boards",),
        ("games",),
        ("*",),  # game, registry, entry points, canonical form, rendering, stepping
        ("aec",),
        ("single_agent", "conformance"),
        ("__init__",),
    ),
    "agents": (
        ("decision", "book", "own"),
        ("agent", "registry", "book_writer", "lookahead"),
        ("solvers", "policies", "*"),
        ("search",),
        ("opponents", "compiled_opponents", "caro", "solver"),
        ("judges",),
        ("__init__",),
    ),
    "evaluation": (
        ("circumstances", "conditions", "plan", "fingerprints", "pages"),
        ("match", "openings", "schedule"),
        ("store",),
        ("statistics", "move_quality"),
        ("played_game", "reviews"),
        ("report", "runners"),
        ("*",),  # review, notebook, tournament, api, …
        ("__init__",),
    ),
    "training": (("*",), ("ppo", "dqn", "alphazero"), ("api",), ("__init__",)),
}
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
ALL_FILES = sorted(
    [
        *SOURCES,
        *ROOT.glob("*.py"),
        *(
            path
            for name in ("tests", "benchmarks", "examples")
            for path in (ROOT / name).rglob("*.py")
        ),
    ]
)
KERNEL_MARKS = {
    "kernel",
    "inner_kernel",
    "rule",
    "register_body",
    "default_body",
    "njit",
    "overload",
    "overload_attribute",
    "overload_method",
    "register_jitable",
}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


class Import(NamedTuple):
    """One module that a file imports."""

    line: int
    module: str  # its absolute name
    is_relative: bool
    for_types: bool  # only type checkers read it


class Function(NamedTuple):
    """A function of a file that is no kernel."""

    line: int
    name: str
    length: int
    bare: list[str]  # its arguments without a type
    has_return_type: bool


class Content(NamedTuple):
    """What the tests here ask about a file; each is parsed once."""

    imports: list[Import]
    functions: list[Function]


@functools.cache
def content(path: Path) -> Content:
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    checked = [n for n in nodes if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
    for_types = {id(node) for block in checked for node in ast.walk(block)}
    imports, functions = [], []
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            is_relative = isinstance(node, ast.ImportFrom) and node.level > 0
            imports += [
                Import(node.lineno, module, is_relative, id(node) in for_types)
                for module in imported_by(node, path)
            ]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_kernel(node):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            bare = [
                argument.arg
                for argument in arguments
                if argument.annotation is None and argument.arg not in ("self", "cls")
            ]
            length = node.end_lineno - node.lineno + 1
            functions.append(
                Function(node.lineno, node.name, length, bare, node.returns is not None)
            )
    return Content(imports, functions)


def imported_by(node: ast.Import | ast.ImportFrom, path: Path) -> list[str]:
    """The absolute names of the modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if node.level == 0:
        return [node.module or ""]
    package = path.relative_to(ROOT).parent.parts
    base = package[: len(package) - (node.level - 1)]
    base = (*base, *node.module.split(".")) if node.module else base
    modules = []
    for alias in node.names:
        parts = (*base, alias.name)
        inner = ROOT.joinpath(*parts)
        is_module = inner.with_suffix(".py").is_file() or (inner / "__init__.py").is_file()
        modules.append(".".join(("plyground", *(parts if is_module else base))))
    return modules


def _is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a decorator makes the function a kernel or a rule."""
    names = set()
    for decorator in function.decorator_list:
        names |= {node.attr for node in ast.walk(decorator) if isinstance(node, ast.Attribute)}
        names |= {node.id for node in ast.walk(decorator) if isinstance(node, ast.Name)}
    return bool(names & KERNEL_MARKS)


def test_the_tests_import_this_checkout():
    assert Path(plyground.__file__).resolve().parent == ROOT


def test_the_folders_are_not_importable_under_their_bare_names():
    bare = [
        name
        for name in FOLDERS
        if name in sys.modules and str(ROOT) in str(getattr(sys.modules[name], "__path__", ""))
    ]
    assert bare == []


def test_the_packages_listed_are_the_folders():
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"][
        "packages"
    ]
    folders = {"plyground"} | {
        ".".join(("plyground", *path.parent.relative_to(ROOT).parts)) for path in SOURCES
    }
    assert sorted(packages) == sorted(folders)


def test_the_wheel_holds_every_file_of_the_packages_that_is_not_python():
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"][
        "package-data"
    ]
    data_files = set()
    for package, patterns in data.items():
        folder = ROOT.joinpath(*package.split(".")[1:])
        data_files |= {path for pattern in patterns for path in folder.glob(pattern)}
    tracked_files = subprocess.run(
        ["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    others = {name for name in tracked_files if not name.endswith((".py", ".pyi"))}
    assert others - {relative(path) for path in data_files} == set()


def test_every_package_folder_has_an_init_file():
    assert [
        relative(path.parent) for path in SOURCES if not (path.parent / "__init__.py").is_file()
    ] == []


def test_imports_go_down_only():
    assert [
        f"{relative(path)}:{line} imports {module}"
        for path in SOURCES
        for line, module, *_ in content(path).imports
        if module.startswith("plyground.")
        and module.split(".")[1] not in MAY_IMPORT[path.relative_to(ROOT).parts[0]]
    ] == []


def layer(folder: str, parts: tuple[str, ...]) -> int:
    """The layer of a module of a folder, from 0 at the bottom."""
    name = parts[0].removesuffix(".py") if parts else "__init__"
    names = [{name}, {"aec"} if re.search(r"_v\d+$", name) else set(), {"*"}]
    for candidates in names:
        for number, members in enumerate(LAYERS[folder]):
            if candidates & set(members):
                return number
    raise AssertionError(f"{name} of {folder} belongs to no layer")


def imports_from_above(path: Path) -> Iterator[str]:
    """The imports of a module that lead to a higher layer of its own folder."""
    folder, *inside = path.relative_to(ROOT).parts
    for line, module, *_ in content(path).imports:
        _, *target = module.split(".")
        if folder in LAYERS and module.startswith("plyground.") and target[0] == folder:
            if layer(folder, tuple(target[1:])) > layer(folder, tuple(inside)):
                yield f"{relative(path)}:{line} imports {module}, which is above it"


def test_imports_inside_a_folder_go_down_only():
    assert [each for path in SOURCES for each in imports_from_above(path)] == []


# An extra that another needs; no extra needs more than two.
NEEDS: dict[str, set[str]] = {}


def extra_of(parts: tuple[str, ...]) -> str:
    """The extra that a path below the repository, or a module below the package, belongs to."""
    return "/".join(parts[1 : 3 if parts[1:2] == ("games",) else 2]).removesuffix(".py")


def test_extras_need_only_what_is_declared():
    needs: dict[str, set[str]] = {}
    for path in (path for path in SOURCES if path.relative_to(ROOT).parts[0] == "extras"):
        extra = extra_of(path.relative_to(ROOT).parts)
        for _, module, *_ in content(path).imports:
            parts = tuple(module.split(".")[1:])
            if parts[:1] == ("extras",) and extra_of(parts) != extra:
                needs.setdefault(extra, set()).add(extra_of(parts))
    assert needs == NEEDS
    assert all(len(others) <= 2 for others in needs.values())


def test_no_string_of_the_core_names_an_extra():
    """It asks the entry points. What knows of the folder itself stands in two files."""
    knowing = {"envs/loading/packages.py", "envs/compiled/sources.py"}
    assert [
        f"{relative(path)}:{node.lineno}"
        for path in [*SOURCES, *ROOT.glob("*.py")]
        if relative(path).partition("/")[0] != "extras" and relative(path) not in knowing
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.search(r"\bextras[./]", node.value)
    ] == []


def test_every_entry_point_leads_to_an_extra():
    """A removed folder leaves no line behind."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    importlib.import_module("plyground.extras.plugins")
    values = [each.value for each in packages._plugged_in if each.value.startswith("plyground.")]
    values += [value for group in groups.values() for value in group.values()]
    places = {value.partition(":")[0] for value in values}
    files = {ROOT.joinpath(*place.split(".")[1:]) for place in places}
    assert [
        str(path) for path in files if not (path.is_dir() or path.with_suffix(".py").is_file())
    ] == []


def test_no_module_imports_itself_through_others():
    """Imports inside functions count as well; what only type checkers read does not."""
    modules = {
        ".".join(("plyground", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path
        for path in [*SOURCES, *ROOT.glob("*.py")]
    }
    graph = {
        name: {
            each.module
            for each in content(path).imports
            if each.module in modules and not each.for_types
        }
        for name, path in modules.items()
    }
    graphlib.TopologicalSorter(graph).prepare()  # CycleError names the modules of a circle


def test_no_folder_holds_more_than_20_files():
    output = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = {name.removesuffix("i") for name in output.stdout.splitlines()}  # a stub is no more
    folders = Counter(Path(name).parent for name in names)
    assert {str(folder): count for folder, count in folders.items() if count > 20} == {}


def test_imports_inside_the_package_are_relative():
    assert [
        f"{relative(path)}:{each.line} imports {each.module} absolutely"
        for path in [*SOURCES, *ROOT.glob("*.py")]
        for each in content(path).imports
        if not each.is_relative and each.module.split(".")[0] in ("plyground", *FOLDERS)
    ] == []


STARTS = re.compile(
    r"subprocess\.(Popen|run|call|check_\w+|getoutput)\(|os\.(fork|posix_spawn\w*|system|popen)\(|"
    r"\b(get_context|Process|ProcessPoolExecutor|Pool|SubprocVecEnv)\("
)


def test_one_module_starts_programs():
    # psutil.Process is a process that runs already
    texts = {path: path.read_text().replace("psutil.Process(", "") for path in SOURCES}
    starting = [path.relative_to(ROOT) for path, text in texts.items() if STARTS.search(text)]
    assert starting == [Path("envs/workers/children.py")]


def test_no_file_is_longer_than_500_lines():
    lengths = {relative(path): len(path.read_text().splitlines()) for path in ALL_FILES}
    assert {path: length for path, length in lengths.items() if length > 500} == {}


GAME = re.compile(rf"(?<![\w.])({'|'.join(GAMES)})(?![^\W_])")
# what is known about one game stands in these; elsewhere it is asked of the game
NAME_GAMES = ("envs/games/", "agents/solvers/", "extras/")


def names_of_games(path: Path) -> list[str]:
    """The strings that name a game; prose, which has spaces, may give one as an example."""
    tree = ast.parse(path.read_text())
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        f"{node.lineno}: {node.value!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in prose and GAME.search(node.value)
        if GAME.match(node.value) or not re.search(r"\s", node.value)
    ]


def test_no_string_names_a_game():
    paths = [path for path in SOURCES if not relative(path).startswith(NAME_GAMES)]
    assert [f"{relative(path)}:{name}" for path in paths for name in names_of_games(path)] == []


def test_a_string_that_names_a_game_is_noticed(tmp_path):
    lines = (
        '"""A game such as hex:size=3."""',
        'PROSE = "hexadecimal, such as hex digits"',
        'TABLE = {"hex": 1}',
        'SPEC = f"gomoku:size={size}"',
        'POLICY = "zoo:othello"',
        'MESSAGE = "gomoku: only near stones"',
    )
    file = tmp_path / "file.py"
    file.write_text("\n".join(lines))
    assert [text.partition(":")[0] for text in sorted(names_of_games(file))] == [*"3456"]


def test_no_function_but_kernels_is_longer_than_60_lines():
    assert [
        f"{relative(path)}:{line} {name} has {length} lines"
        for path in ALL_FILES
        for line, name, length, *_ in content(path).functions
        if length > 60
    ] == []


def test_only_kernels_and_rules_go_without_annotations():
    assert [
        f"{relative(path)}:{line} {name} lacks types"
        for path in SOURCES
        for line, name, _, bare, has_return_type in content(path).functions
        if bare or not has_return_type
    ] == []
