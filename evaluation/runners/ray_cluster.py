"""Games on a Ray cluster: one actor for each processor plays chunks of games.

docs/many_machines.md says how to start a cluster.

Source: the Ray documentation, "Actors" and "Actor fault tolerance".
"""

from __future__ import annotations

import os
import socket
from typing import Any, NamedTuple

from ...envs.specification import SpecificationError
from .game_worker import GameWorker
from .messages import RunnerError
from .worker_pool import Death, Event, PoolRunner

CONNECT_SECONDS = 10.0
THIS_MACHINE = "local"  # Ray's word for: do not look for a cluster, start one here


class RayWorker(NamedTuple):
    """An actor and its open calls, the oldest first."""

    actor: Any
    pending: list[Any]


class RayRunner(PoolRunner[RayWorker]):
    """Plays on a Ray cluster. A node that is lost has its games played again by the others.

    Args:
        address: of the cluster, ``HOST:PORT`` or ``auto`` for one that this machine belongs to; by
            default that of ``RAY_ADDRESS``, or else one is started on this machine for as long as
            the runner is open.
        concurrency: how many games are played at once; by default as many as the cluster has
            processors.
    """

    def __init__(self, address: str | None = None, concurrency: int | None = None) -> None:
        super().__init__(concurrency)
        self._address = address or os.environ.get("RAY_ADDRESS")
        self._ray = _import_ray()
        self._connected = False

    def _default_concurrency(self) -> int:
        self._connect()
        return max(int(self._ray.cluster_resources().get("CPU", 0)), 1)

    def _connect(self) -> None:
        """Connect to the cluster, unless this program has done so already."""
        if self._ray.is_initialized():
            return
        self._check_address()
        processors = self._concurrency if self._address is None else None
        try:
            self._ray.init(
                self._address or THIS_MACHINE,
                num_cpus=processors,
                include_dashboard=None if self._address else False,
                **QUIET,
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise RunnerError(
                f"there is no Ray cluster to play on at {self._address}: {_first_line(error)}"
            ) from None
        self._connected = True

    def _check_address(self) -> None:
        """Ray itself would try for minutes to reach a cluster that is not there."""
        host, colon, port = (self._address or "").removeprefix("ray://").rpartition(":")
        if not (colon and port.isascii() and port.isdigit()):
            return
        try:
            socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise RunnerError(
                f"there is no Ray cluster to play on at {self._address}: {error}"
            ) from None

    def _start(self) -> RayWorker:
        self._connect()
        actor = self._ray.remote(GameWorker).options(
            num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD"
        )
        return RayWorker(actor.remote(), [])

    def _call(self, worker: RayWorker, method: str, argument: Any) -> None:
        worker.pending.append(getattr(worker.actor, method).remote(argument))

    def _events(self, workers: list[RayWorker], seconds: float) -> list[tuple[RayWorker, Event]]:
        """The next events of the actors.

        An actor answers in the order in which it was asked, so only the oldest request of each is
        waited for.
        """
        by_answer = {worker.pending[0]: worker for worker in workers if worker.pending}
        answers, _ = self._ray.wait(list(by_answer), num_returns=1, timeout=seconds)
        if answers:
            answers, _ = self._ray.wait(list(by_answer), num_returns=len(by_answer), timeout=0)
        return [(by_answer[answer], self._event(by_answer[answer])) for answer in answers]

    def _event(self, worker: RayWorker) -> Event:
        try:
            event: Event = self._ray.get(worker.pending.pop(0))
        except self._ray.exceptions.RayTaskError as error:
            cause = (
                error.cause if isinstance(error.cause, SpecificationError) else _last_line(error)
            )
            raise RunnerError(f"a worker of the Ray cluster cannot play: {cause}") from None
        except self._ray.exceptions.RayError as error:
            if "ModuleNotFoundError" in str(error) or "ImportError" in str(error):
                raise RunnerError(
                    f"a worker of the Ray cluster cannot import what it needs: "
                    f"{_last_line(error)}; install it there"
                ) from None
            return Death(f"was lost: {_first_line(error)}")
        return event

    def _stop(self, worker: RayWorker) -> None:
        if self._ray.is_initialized():
            self._ray.kill(worker.actor)

    def close(self) -> None:
        super().close()
        if self._connected:
            self._ray.shutdown()
            self._connected = False


QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}


def _import_ray() -> Any:
    # Ray would report what it is used for to its makers
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.exceptions
    except ModuleNotFoundError:
        raise SpecificationError(
            '--runner ray needs Ray, which is not installed: pip install -e ".[ray]"'
        ) from None
    return ray


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _last_line(error: Exception) -> str:
    return str(error).strip().rpartition("\n")[2]
