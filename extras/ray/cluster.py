"""Connecting to a Ray cluster.

The page many_machines.md of the docs explains how to start a cluster.
"""

from __future__ import annotations

import os
import socket
from typing import Any

from ...envs.specification import SpecificationError
from ...envs.workers.errors import RunnerError

CONNECT_SECONDS = 10.0
THIS_MACHINE = "local"  # for Ray: do not look for a cluster, start one here
QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}


class Cluster:
    """A connection to a Ray cluster, opened when it is needed.

    Args:
        address: address of the cluster, ``HOST:PORT`` or ``auto`` for one that this machine belongs
            to; by default ``RAY_ADDRESS``, or else a cluster is started on this machine for as long
            as the connection is open.
        processors: processors of a cluster started on this machine; by default all.

    Attributes:
        ray: the module.

    Raises:
        SpecificationError: Ray is not installed.
    """

    def __init__(self, address: str | None = None, processors: int | None = None) -> None:
        self.address: str | None = address or os.environ.get("RAY_ADDRESS")
        self.ray: Any = _import_ray()
        self._processors = processors
        self._connected = False

    def connect(self) -> None:
        """Connect to the cluster, unless this program is connected already.

        Raises:
            RunnerError: there is none.
        """
        if self.ray.is_initialized():
            return
        self._check_address()
        try:
            self.ray.init(
                self.address or THIS_MACHINE,
                num_cpus=self._processors if self.address is None else None,
                include_dashboard=None if self.address else False,
                **QUIET,
            )
        except ConnectionError as error:
            why = (
                f"{first_line(error)}; if the cluster has a token, it must be in ~/.ray/auth_token "
                "here, and RAY_AUTH_MODE=token be set"
            )
            raise RunnerError(self._missing(why)) from None
        except (self.ray.exceptions.RayError, RuntimeError, ValueError) as error:
            raise RunnerError(self._missing(first_line(error))) from None
        self._connected = True

    @property
    def processors(self) -> int:
        """Processors of all machines of the cluster."""
        self.connect()
        return max(int(self.ray.cluster_resources().get("CPU", 0)), 1)

    @property
    def gpu_share(self) -> float:
        """GPUs per processor of the cluster, at most one."""
        return min(float(self.ray.cluster_resources().get("GPU", 0)) / self.processors, 1.0)

    def close(self) -> None:
        """Disconnect, if this object has connected."""
        if self._connected:
            self.ray.shutdown()
            self._connected = False

    def _check_address(self) -> None:
        """Check the address first: Ray would try for minutes to reach a missing cluster."""
        host, colon, port = (self.address or "").removeprefix("ray://").rpartition(":")
        if not (colon and port.isascii() and port.isdigit()):
            return
        try:
            socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise RunnerError(self._missing(error)) from None

    def _missing(self, why: object) -> str:
        return f"there is no Ray cluster at {self.address}: {why}"


def first_line(error: Exception) -> str:
    """The first line of an error's message."""
    return str(error).strip().partition("\n")[0]


def _import_ray() -> Any:
    # disables Ray's usage reports
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.exceptions
    except ModuleNotFoundError:
        raise SpecificationError(
            '--runner ray needs Ray, which is not installed: pip install "plyground[ray]"'
        ) from None
    return ray
