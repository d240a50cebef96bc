"""The files for clusters with a scheduler: their shells, their YAML, and the commands in them."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from command_line import done

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "cluster"
SLURM, KUBERAY = FOLDER / "slurm.sh", FOLDER / "kuberay.yaml"


def kuberay():
    return yaml.safe_load(KUBERAY.read_text())["spec"]


def commands():
    """The words of the commands of plyground in the files, from ``train`` on."""
    script = SLURM.read_text().replace("\\\n", " ")
    (line,) = re.findall(r'^"\$PLYGROUND/plyground" (.*) &$', script, re.MULTILINE)
    line = re.sub(r"\$\(\(.*?\)\)", "64", line).replace("$address", "192.0.2.1:6379")
    entry = kuberay()["entrypoint"]
    return [shlex.split(line), shlex.split(entry)[1:]]


def test_the_script_for_slurm_is_one_of_the_shell():
    subprocess.run(["bash", "-n", SLURM], check=True)
    options = re.findall(r"^#SBATCH --([a-z-]+)", SLURM.read_text(), re.MULTILINE)
    assert {"nodes", "ntasks-per-node", "cpus-per-task", "signal"} <= set(options)


def test_the_workers_of_kuberay_are_as_many_as_the_chunks():
    spec = kuberay()
    (group,) = spec["rayClusterSpec"]["workerGroupSpecs"]
    (container,) = group["template"]["spec"]["containers"]
    words = shlex.split(spec["entrypoint"])
    workers = int(words[words.index("--workers") + 1])
    assert workers == group["replicas"] * int(container["resources"]["limits"]["cpu"])


@pytest.mark.parametrize("words", commands(), ids=["slurm", "kuberay"])
def test_the_commands_are_understood(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = done(*words, "--list-settings")
    assert "simulations" in result.stdout
    assert not list(tmp_path.iterdir())
