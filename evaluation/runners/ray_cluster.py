"""Games on a Ray cluster: one actor for each processor plays chunks of games.

docs/many_machines.md says how to start a cluster.

Source: the Ray documentation, "Actors" and "Actor fault tolerance".
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...envs.specification import SpecificationError
from ...envs.workers.cluster import Cluster, first_line, last_line
from ...envs.workers.errors import RunnerError
from ...envs.workers.jobs import RAY
from .game_worker import GameWorker
from .worker_pool import Death, Event, PoolRunner


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

    name = RAY

    def __init__(self, address: str | None = None, concurrency: int | None = None) -> None:
        super().__init__(concurrency)
        self._cluster = Cluster(address, concurrency)
        self._ray = self._cluster.ray

    def _default_concurrency(self) -> int:
        return self._cluster.processors

    def _start(self) -> RayWorker:
        self._cluster.connect()
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
            cause = error.cause if isinstance(error.cause, SpecificationError) else last_line(error)
            raise RunnerError(f"a worker of the Ray cluster cannot play: {cause}") from None
        except self._ray.exceptions.RayError as error:
            if "ModuleNotFoundError" in str(error) or "ImportError" in str(error):
                raise RunnerError(
                    f"a worker of the Ray cluster cannot import what it needs: "
                    f"{last_line(error)}; install it there"
                ) from None
            return Death(f"was lost: {first_line(error)}")
        return event

    def _stop(self, worker: RayWorker) -> None:
        if self._ray.is_initialized():
            self._ray.kill(worker.actor)

    def close(self) -> None:
        super().close()
        self._cluster.close()
