"""Devices: where arrays lie and kernels run. A kernel is launched once with its arguments laid out.

:class:`Processor` runs the code for CUDA on this machine's processor, for tests; :class:`Gpu` runs
it on a GPU. Memory is torch's on both.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import DeviceArray, flatten, kind_of

BLOCK = 128  # threads
COMPILES_FOR = "10 seconds to 3 minutes, once; later starts are instant"  # a game's kernels
INSTALL = 'pip install "plyground[gpu]"'
Launch = Callable[[], None]


class Device:
    """A device for kernels whose last argument is the number of a thread.

    Args:
        place: the device in torch's words.
    """

    def __init__(self, place: str) -> None:
        import torch

        self.place: Any = torch.device(place)

    def put(self, values: Any) -> Any:
        """A copy of an array, or of the arrays in named tuples; records keep their layout."""
        import torch

        if isinstance(values, tuple):
            return type(values)(*map(self.put, values))
        if not isinstance(values, np.ndarray):
            return values
        plain: Any
        dtype, shape = values.dtype, values.shape
        if values.size and shape[:1] > (1,) and values.strides[0] == 0:  # see `for_threads`
            tensor = self.put(values[:1]).tensor
            copies = tensor.expand(shape[0], *tensor.shape[1:]).contiguous()
            return DeviceArray(copies, dtype, shape)
        plain = np.ascontiguousarray(values).reshape(-1)
        if dtype.names:
            plain = plain.view(np.uint8).reshape(-1, dtype.itemsize)
        elif dtype == np.uint64:  # of which torch knows little
            plain = plain.view(np.int64)
        tensor = torch.from_numpy(plain.view(np.ndarray).copy())
        return DeviceArray(tensor.reshape(*shape, *tensor.shape[1:]).to(self.place), dtype, shape)

    def get(self, array: DeviceArray) -> np.ndarray:
        """A copy of an array in the processor's memory."""
        values: np.ndarray = array.tensor.cpu().numpy().copy()
        return values.view(array.dtype).reshape(array.shape)

    def wait(self) -> None:
        """Wait until all that was launched is done."""

    def free_bytes(self) -> int:
        """The bytes of memory that are free."""
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")

    def launch(self, kernel: Any, threads: int, *arguments: Any) -> Launch:
        """A kernel with its arguments; a call runs it in this many threads.

        Arguments are numbers, arrays of this device, and named tuples of these.

        Raises:
            UnsupportedKernelError: the kernel cannot be compiled for a GPU.
        """
        raise NotImplementedError


class Processor(Device):
    """This machine's processor in place of a GPU: threads run one after the other."""

    def __init__(self) -> None:
        super().__init__("cpu")

    def launch(self, kernel: Any, threads: int, *arguments: Any) -> Launch:
        from .code import lowered
        from .processor import ProcessorLaunch

        kind = kind_of(arguments)
        return ProcessorLaunch(lowered(kernel, kind), threads, arguments, kind)


class Gpu(Device):
    """A GPU. Kernels run on torch's current stream, and can be captured in a graph."""

    def wait(self) -> None:
        import torch

        torch.cuda.synchronize(self.place)

    def free_bytes(self) -> int:
        import torch

        free, _ = torch.cuda.mem_get_info(self.place)
        return int(free)

    def launch(self, kernel: Any, threads: int, *arguments: Any) -> Launch:
        import torch
        from cuda.bindings import driver

        from .code import cubin

        kind = kind_of(arguments)
        capability = torch.cuda.get_device_capability(self.place)
        with torch.cuda.device(self.place):
            torch.cuda.synchronize()  # torch's context exists now
            entry, assembled = cubin(kernel, kind, capability)
            function = _function(self.place, entry, assembled.code)
        values = [ctypes.c_int64(threads), *flatten(arguments, kind)]
        places = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        blocks, place = -(-threads // BLOCK), ctypes.addressof(places)

        def run() -> None:
            with torch.cuda.device(self.place):
                stream = torch.cuda.current_stream().cuda_stream
                _checked(
                    driver.cuLaunchKernel(function, blocks, 1, 1, BLOCK, 1, 1, 0, stream, place, 0)
                )

        run.kept = values, places, arguments  # type: ignore[attr-defined]
        return run


@functools.lru_cache(maxsize=64)
def _function(place: Any, entry: str, code: bytes) -> Any:
    """A kernel in the memory of the present GPU, which is ``place``."""
    from cuda.bindings import driver

    module = _checked(driver.cuModuleLoadData(code))
    return _checked(driver.cuModuleGetFunction(module, entry.encode()))


def _checked(result: tuple[Any, ...]) -> Any:
    """The value of a call of the driver.

    Raises:
        RuntimeError: the driver reports an error.
    """
    error, *values = result
    if int(error) != 0:
        raise RuntimeError(f"the CUDA driver reports {error.name}")
    return values[0] if values else None


def open_device(name: str) -> Gpu:
    """The GPU of this name: ``"cuda"``, ``"cuda:1"``.

    Raises:
        ValueError: another name, or what is missing for it.
    """
    match = re.fullmatch(r"cuda(?::([0-9]{1,3}))?", name) if isinstance(name, str) else None
    if match is None:
        raise ValueError(f"device={name!r} is not possible; it is 'cpu', 'cuda' or 'cuda:1', …")
    for module in ("torch", "numba_cuda", "cuda.bindings"):
        if not _is_installed(module):
            raise ValueError(f"device={name!r} needs {module}, which is not installed: {INSTALL}")
    import torch

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if count <= int(match[1] or 0):
        found = f"{count} GPU{'s' * (count != 1)}" if count else "no GPU"
        raise ValueError(
            f"device={name!r} is not possible: torch {torch.__version__} finds {found}"
        )
    return Gpu(name)


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package that should hold it
        return False
