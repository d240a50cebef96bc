"""The disk cache of machine code: damaged files and full disks cost time, and nothing else."""

from __future__ import annotations

import errno
import pickle
import random
import struct
from pathlib import Path

import numba
import pytest
from helpers import script
from numba.core import event
from numba.core.caching import IndexDataCacheFile
from plyground.envs.compiled import cache

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="about compiled code")

KERNELS = """
from plyground.envs.compiled.kernels import kernel

@kernel
def inner(number):
    return 12.34567 * number

@kernel
def outer(number):
    return inner(number) + 1
"""
RESULT, OTHER = 12.34567 * 2 + 1, 12.34567 * 2.5 + 1


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A file with two kernels, which are kept in a folder of this test."""
    monkeypatch.setenv("PLYGROUND_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "own_sources", cache.OwnSources())
    monkeypatch.setattr(cache, "_notices", set())
    path = tmp_path / "own_kernels.py"
    path.write_text(KERNELS)
    return path


def call(source: Path) -> tuple[float, bool]:
    """What a new process computes, and whether it compiles."""
    module = script(source)  # imported anew as by a new process
    with event.install_recorder("numba:compile") as compilations:
        return module.outer(2), bool(compilations.buffer)


def _write(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


def flip(path: Path) -> None:
    """Change eight bits anywhere in a file."""
    content, rng = bytearray(path.read_bytes()), random.Random(path.name)
    for _ in range(8):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    _write(path, bytes(content))


def change_constant(path: Path) -> None:
    """Change the constant of ``inner`` in its machine code: the file stays readable and runs."""
    constant, other = (struct.pack("<d", number) for number in (12.34567, 12.34568))
    content = path.read_bytes()
    _write(path, content.replace(constant, other) if constant in content else content[:-1])


DAMAGES = {
    "cut": lambda path: _write(path, path.read_bytes()[:60]),
    "cut by a byte": lambda path: _write(path, path.read_bytes()[:-1]),
    "empty": lambda path: _write(path, b""),
    "zeros": lambda path: _write(path, bytes(path.stat().st_size)),
    "text": lambda path: _write(path, b"no machine code"),
    "another object": lambda path: _write(path, pickle.dumps(["no", "code"])),
    "bits": flip,
    "a constant": change_constant,
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "gone": Path.unlink,
}

# what numba itself takes for a file that is not there
MISSING = {("gone", "nbi"), ("gone", "nbc"), ("another object", "nbi"), ("a folder", "nbc")}


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.fast_cases(6)
def test_damaged_machine_code_is_compiled_anew_and_said_once(damage, suffix, source, capfd):
    folder = source.parent / "cache"
    assert call(source) == (RESULT, True)
    assert call(source) == (RESULT, False)
    files = sorted(folder.rglob(f"*.{suffix}"))
    assert len(files) == 2
    for path in files:
        DAMAGES[damage](path)
    assert call(source) == (RESULT, True)
    errors = capfd.readouterr().err
    said = ["is damaged; it is compiled again"] * ((damage, suffix) not in MISSING)
    said += ["cannot be stored; every process compiles it again"] * (damage == "a folder")
    for text, line in zip(said, errors.splitlines(), strict=True):
        assert f"machine code in {folder} {text}" in line
    if damage != "a folder":
        assert call(source) == (RESULT, False)  # healed


@pytest.mark.parametrize(
    ("pattern", "number", "result"),
    [("*outer-*.nbc", 2.5, OTHER), ("*.nbc", 2, RESULT)],
    ids=["types", "function"],
)
def test_the_machine_code_of_other_arguments_or_another_function_is_not_taken(
    pattern, number, result, source
):
    """As where the index of a kernel names another file."""
    module = script(source)  # imported anew as by a new process
    assert (module.inner(2), module.outer(2)) == (RESULT - 1, RESULT)
    assert module.outer(number) == result
    first, second = sorted((source.parent / "cache").rglob(pattern))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    assert call(source) == (RESULT, True)


def test_a_full_disk_costs_the_next_start_time_and_is_said_once(source, monkeypatch, capfd):
    def fail(self, path):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache.KernelCache, "saved", False)
    with monkeypatch.context() as full:
        full.setattr(IndexDataCacheFile, "_open_for_write", fail)
        assert call(source) == (RESULT, True)
        assert call(source) == (RESULT, True)
        (line,) = capfd.readouterr().err.splitlines()
        assert str(source.parent / "cache") in line
        assert "cannot be stored" in line
        assert "No space left on device" in line
    assert not cache.KernelCache.saved
    assert call(source) == (RESULT, True)
    assert cache.KernelCache.saved
    assert call(source) == (RESULT, False)


def test_where_nothing_can_be_written_no_other_folder_is_used(source, monkeypatch, capfd):
    """numba's own choice of a folder does not notice edits of other files."""

    def fail(**options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("numba.core.caching.tempfile.TemporaryFile", fail)
    assert call(source) == (RESULT, True)
    assert call(source) == (RESULT, True)
    assert not [*source.parent.rglob("*.nbi")]
    assert "cannot be stored" in capfd.readouterr().err


def test_clearing_removes_machine_code_and_nothing_else(source):
    assert call(source)[1]
    folder = source.parent / "cache"
    (folder / "letters").mkdir()
    (folder / "note.txt").write_text("mine")
    assert cache.clear_cache() == 2  # the other one is of the sources
    assert {path.name for path in folder.iterdir()} == {"letters", "note.txt"}
    assert cache.clear_cache() == 0
    assert call(source) == (RESULT, True)
