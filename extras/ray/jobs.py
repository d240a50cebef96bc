"""Independent jobs on a Ray cluster.

Source: the Ray documentation, "Tasks" and "Object fault tolerance".
"""

from __future__ import annotations

import functools
import pickle
import zlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from ...envs.workers.errors import RunnerError
from ...envs.workers.jobs import Answer, Jobs, Work, outcome_of, result_of
from .cluster import Cluster, first_line


class RayJobs(Jobs):
    """Runs jobs as tasks on a Ray cluster; Ray repeats the tasks of a lost machine.

    Args:
        work: the function for every job.
        address: address of the cluster, see :class:`~plyground.extras.ray.cluster.Cluster`.
        concurrency: maximum number of submitted jobs on an existing cluster; None: twice its number
            of processors. For a cluster started on this machine, its number of processors.
    """

    runner = "ray"

    def __init__(
        self, work: Work, address: str | None = None, concurrency: int | None = None
    ) -> None:
        cluster = Cluster(address, concurrency)
        self._cluster, self._ray, self._lost = cluster, cluster.ray, work.lost
        self.count, self.ahead = cluster.processors, 2 * cluster.processors
        self._gpus = cluster.gpu_share if work.needs.gpu else 0.0  # of a job
        if cluster.address and concurrency:
            self.count, self.ahead = concurrency, concurrency - 1
        self._package: Any = self._ray.put(work.packed())
        self._open: set[Any] = set()  # references to unread results
        self._remote = {each: self._ray.remote(each) for each in (_get_ready, _do_on_cluster)}
        # Machine code is compiled on every machine before the first job.
        for answer in [self._submit(_get_ready, [], node) for node in self._nodes()]:
            answer.read()

    def _nodes(self) -> list[str]:
        return [
            node["NodeID"]
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        ]

    def share(self, value: Any) -> Any:
        package = _pack(value)
        self.network_bytes += len(package) * max(1, len(self._nodes()))
        return self._ray.put(package)

    def submit(self, *arguments: Any) -> Answer:
        references = self._ray.ObjectRef
        packages = [each if isinstance(each, references) else _pack(each) for each in arguments]
        self.network_bytes += sum(len(each) for each in packages if isinstance(each, bytes))
        return self._submit(_do_on_cluster, packages)

    def _submit(
        self, function: Callable[..., bytes], packages: list[Any], node: str | None = None
    ) -> Answer:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        strategy = NodeAffinitySchedulingStrategy(node, soft=True) if node else "SPREAD"
        retries = -1 if self._lost is None or function is _get_ready else 0
        remote = self._remote[function].options(
            num_cpus=1,
            num_gpus=self._gpus,
            max_retries=retries,
            scheduling_strategy=strategy,
        )
        reference = remote.remote(self._package, *packages)
        self._open.add(reference)
        future = reference.future()
        return Answer(future, functools.partial(self._read, reference, future))

    def _read(self, reference: Any, future: Future[bytes]) -> Any:
        try:
            package = future.result()
        except self._ray.exceptions.RayTaskError as error:
            cause = str(error).strip().rpartition("\n")[2]
            raise RunnerError(f"a worker of the Ray cluster failed: {cause}") from None
        except self._ray.exceptions.RayError as error:
            if self._lost is not None:
                return self._lost(f"was lost: {first_line(error)}")
            raise RunnerError(f"the Ray cluster failed: {first_line(error)}") from None
        finally:
            self._open.discard(reference)
        self.network_bytes += len(package)
        return result_of(zlib.decompress(package))

    def close(self) -> None:
        for reference in self._open:
            self._ray.cancel(reference, force=True)
        self._open.clear()
        self._cluster.close()


def _get_ready(package: bytes) -> bytes:
    """Prepare the jobs in this process, so that their code is compiled on its machine."""
    return zlib.compress(outcome_of(package, None))


def _do_on_cluster(package: bytes, *arguments: bytes) -> bytes:
    return zlib.compress(outcome_of(package, [zlib.decompress(each) for each in arguments]), 1)


def _pack(value: Any) -> bytes:
    return zlib.compress(pickle.dumps(value), 1)
