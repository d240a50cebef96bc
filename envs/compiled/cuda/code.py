"""The code of kernels for CUDA, kept on disk under the key of our sources as that of processors."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from numba.core import event
from numba.core.errors import NumbaError

from ...loading.files import written_whole
from ..cache import folder_of
from ..sources import digest_of
from .inline import LARGE_FUNCTION
from .lowering import DeviceFunction, Lowered, lower

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
MOST_SHOWN = 400  # letters of an error
MOST_SPILLED = 64  # bytes, before another form of a kernel is tried
# what the assembler reports of a kernel, and of each function in it
_REGISTERS = re.compile(rb"Used (\d+) registers")
_MEMORY = re.compile(rb"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_COLOUR = re.compile(r"\x1b\[\d+m")
_PLACE = re.compile(r'(?:File "| at )([^"\s]+\.py)(?:", line | \()(\d+)')
_BETWEEN = "\n; ---- the next module ----\n"


class Assembled(NamedTuple):
    """Machine code, and what it uses of a GPU.

    Attributes:
        code: what drivers load.
        registers: of a thread.
        stack: bytes of a thread, of the function that has most.
        spills: bytes stored or loaded because registers are missing, likewise.
    """

    code: bytes
    registers: int
    stack: int
    spills: int


class UnsupportedKernelError(ValueError):
    """A kernel that cannot be compiled for a GPU; the text says why."""


@functools.lru_cache(maxsize=64)
def lowered(kernel: Any, kind: Any) -> Lowered:
    """A kernel in LLVM code, for arguments of this type (a tuple without the thread's number).

    Raises:
        UnsupportedKernelError: it cannot be compiled for a GPU.
    """
    text = _kept(kernel, kind, "llvm", lambda: _lower(kernel, kind)).decode()
    entry, _, modules = text.partition("\n")
    return Lowered(entry, tuple(modules.split(_BETWEEN)))


@functools.lru_cache(maxsize=64)
def cubin(kernel: Any, kind: Any, capability: tuple[int, int]) -> tuple[str, Assembled]:
    """The name of a kernel's entry, and its code for GPUs of a compute capability.

    Drivers of the same major version of CUDA load it. Where registers are missing, more functions
    are calls.

    Raises:
        UnsupportedKernelError: it cannot be compiled for a GPU.
    """

    def make() -> bytes:
        code = lowered(kernel, kind)
        with event.trigger_event("numba:compile", data={}):
            tried: list[Assembled] = []
            for lines in LARGE_FUNCTION:
                tried.append(assembled(code.intermediate(capability, lines), capability))
                if tried[-1].spills <= MOST_SPILLED:
                    break
        image, *used = min(tried, key=lambda each: each.spills)
        return " ".join([code.entry, *map(str, used)]).encode() + b"\n" + image

    head, _, image = _kept(kernel, kind, f"cubin {capability}", make).partition(b"\n")
    entry, *used = head.decode().split()
    return entry, Assembled(image, *map(int, used))


def assembled(intermediate: bytes, capability: tuple[int, int]) -> Assembled:
    """The machine code of NVVM's intermediate code, for GPUs of a compute capability.

    Raises:
        UnsupportedKernelError: the assembler refuses it.
    """
    from cuda.bindings import nvjitlink

    with _link(intermediate, capability) as handle:
        image = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, image)
        log = bytearray(nvjitlink.get_info_log_size(handle))
        nvjitlink.get_info_log(handle, log)
    stacks, stores, loads = zip(*(map(int, each) for each in _MEMORY.findall(log)))
    registers = map(int, _REGISTERS.findall(log))
    return Assembled(bytes(image), max(registers), max(stacks), max(stores + loads))


def ptx(intermediate: bytes, capability: tuple[int, int]) -> str:
    """What :func:`assembled` assembles, as text."""
    from cuda.bindings import nvjitlink

    with _link(intermediate, capability, "-ptx") as handle:
        text = bytearray(nvjitlink.get_linked_ptx_size(handle))
        nvjitlink.get_linked_ptx(handle, text)
    return text.decode().rstrip("\0")


@contextlib.contextmanager
def _link(intermediate: bytes, capability: tuple[int, int], *options: str) -> Iterator[int]:
    """A linker with the whole code of a kernel: only so do its calls save no needless registers."""
    from cuda.bindings import nvjitlink

    major, minor = capability
    # -fma=0: as NVVM_OPTIONS say
    given = [f"-arch=sm_{major}{minor}", "-lto", "-fma=0", "-Xptxas=-v", "-no-cache", *options]
    handle = nvjitlink.create(len(given), given)
    kind = nvjitlink.InputType.LTOIR
    try:
        nvjitlink.add_data(handle, kind, intermediate, len(intermediate), "kernel")
        nvjitlink.complete(handle)
        yield handle
    except nvjitlink.nvJitLinkError as error:
        log = bytearray(nvjitlink.get_error_log_size(handle))
        nvjitlink.get_error_log(handle, log)
        what = log.decode().strip("\0\n ") or str(error)
        raise UnsupportedKernelError(
            f"a kernel does not link for a GPU: {what}"[:MOST_SHOWN]
        ) from error
    finally:
        nvjitlink.destroy(handle)


def _lower(kernel: Any, kind: Any) -> bytes:
    try:
        with event.trigger_event("numba:compile", data={}):
            code = lower(kernel, kind)
    except NumbaError as error:
        raise UnsupportedKernelError(_sentence(error)) from error
    return f"{code.entry}\n{_BETWEEN.join(code.modules)}".encode()


def _sentence(error: NumbaError) -> str:
    """What does not compile for a GPU, with the line that numba names or the function's first."""
    code, error = DeviceFunction.failed or (None, error)
    text = _COLOUR.sub("", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    what = next((line for line in lines if not line.startswith("Failed in")), lines[0])
    called = next((line for line in lines if line.startswith(">>> ")), ">>>")[3:]
    places = [place for place in _PLACE.findall(text) if "/numba/" not in place[0]]
    if code is not None:
        places.append((code.co_filename, code.co_firstlineno))
    where = f" at {places[0][0]}, line {places[0][1]}" if places else ""
    return f"a kernel does not compile for a GPU{where}: {what}{called}"[:MOST_SHOWN]


@functools.cache
def _digest_of_compiler() -> str:
    """A hash of the sources in this folder, on which no kernel depends."""
    return digest_of(Path(__file__).parent.glob("*.py"))


def _kept(kernel: Any, kind: Any, form: str, make: Callable[[], bytes]) -> bytes:
    """What ``make`` returns, from disk if it is there; damaged files are made again."""
    function = kernel.py_func
    made_by = f"{version('numba-cuda')} {_digest_of_compiler()}"
    what = f"{function.__qualname__} {_ADDRESS.sub('', repr(kind))} {form} {made_by}"
    folder = folder_of(function, (kind,))
    file = folder and Path(folder) / f"{hashlib.sha256(what.encode()).hexdigest()[:40]}.cuda"
    with contextlib.suppress(OSError, ValueError):
        if file:
            checksum, _, content = file.read_bytes().partition(b"\n")
            if int(checksum) == zlib.crc32(content):
                return content
    content = make()
    if file:
        with contextlib.suppress(OSError), written_whole(file) as stream:
            stream.write(b"%d\n" % zlib.crc32(content) + content)
    return content
