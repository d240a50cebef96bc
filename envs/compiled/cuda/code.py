"""The code of kernels for CUDA, kept on disk under the key of our sources as that of processors."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from numba.core import event
from numba.core.errors import NumbaError

from ...loading.files import written_whole
from ..cache import folder_of
from ..sources import digest_of
from .lowering import DeviceFunction, Lowered, lower

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
MOST_SHOWN = 400  # letters of an error
_COLOUR = re.compile(r"\x1b\[\d+m")
_PLACE = re.compile(r'(?:File "| at )([^"\s]+\.py)(?:", line | \()(\d+)')
_BETWEEN = "\n; ---- the next module ----\n"


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


def ptx(kernel: Any, kind: Any, capability: tuple[int, int]) -> tuple[str, str]:
    """The name of a kernel's entry, and its code for GPUs of a compute capability.

    Raises:
        UnsupportedKernelError: it cannot be compiled for a GPU.
    """

    def make() -> bytes:
        code = lowered(kernel, kind)
        with event.trigger_event("numba:compile", data={}):
            return f"{code.entry}\n{code.ptx(capability)}".encode()

    entry, _, text = _kept(kernel, kind, f"ptx {capability}", make).decode().partition("\n")
    return entry, text


@functools.lru_cache(maxsize=64)
def cubin(kernel: Any, kind: Any, capability: tuple[int, int]) -> tuple[str, bytes]:
    """The same in machine code, which drivers of the same major version of CUDA load.

    Raises:
        UnsupportedKernelError: it cannot be compiled for a GPU.
    """

    def make() -> bytes:
        entry, text = ptx(kernel, kind, capability)
        return f"{entry}\n".encode() + assembled(text, capability)

    entry, _, code = _kept(kernel, kind, f"cubin {capability}", make).partition(b"\n")
    return entry.decode(), code


def assembled(text: str, capability: tuple[int, int]) -> bytes:
    """The machine code of PTX, for GPUs of a compute capability."""
    from cuda.bindings import nvjitlink

    major, minor = capability
    handle = nvjitlink.create(1, [f"-arch=sm_{major}{minor}"])
    code = text.encode()
    nvjitlink.add_data(handle, nvjitlink.InputType.PTX, code, len(code), "kernel")
    nvjitlink.complete(handle)
    image = bytearray(nvjitlink.get_linked_cubin_size(handle))
    nvjitlink.get_linked_cubin(handle, image)
    nvjitlink.destroy(handle)
    return bytes(image)


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
