"""The commands ``push`` and ``pull``: policy files on the Hugging Face Hub."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

from ...agents.policies.policy_file import SCHEME_END, OnnxNetwork, load_policy_file
from ...commands.app import command
from ...commands.common import argument, option
from ...commands.output import say
from ...envs.specification import plain_text, refusing
from .source import FILE, NEEDS

CARD = "README.md"
HEADER = """---
library_name: plyground
pipeline_tag: reinforcement-learning
tags: [reinforcement-learning, board-games, onnx]
---

"""


@command("POLICY hf://OWNER/NAME", purpose="Train")
def push(
    policy: Annotated[str, argument("POLICY", "A policy file, or the folder of a training run.")],
    target: Annotated[
        str,
        argument(
            "hf://OWNER/NAME",
            "The repository, created if it is missing; or a folder for the same files.",
        ),
    ],
    /,
) -> None:
    """Publish a policy on the Hugging Face Hub, with a card from the file's metadata.

    The agent policy:hf://OWNER/NAME plays it. Pushing needs a token, see hf auth login.

    [bold]Examples[/bold]

    plyground push runs/c4 hf://OWNER/NAME

    plyground push c4.onnx hf://OWNER/NAME@REVISION

    plyground push c4.onnx folder
    """
    network = load_policy_file(_file_in(policy))
    if SCHEME_END not in target:
        _write(network, Path(target), FILE, FILE)
        say(f"{target}: what would be pushed")
        return
    with refusing(ImportError, NEEDS):
        from huggingface_hub import HfApi, parse_hf_uri
    # the library's errors have no common class
    with tempfile.TemporaryDirectory() as folder, refusing(Exception, f"{target} is not pushed"):
        uri, hub = parse_hf_uri(target), HfApi(token=True)
        _write(network, Path(folder), uri.path_in_repo or FILE, target)
        hub.create_repo(uri.id, exist_ok=True)
        hub.upload_folder(repo_id=uri.id, folder_path=folder, revision=uri.revision)
    say(f"{target}: a policy for {network.game.spec}, played by policy:{target}")


@command("hf://OWNER/NAME --out FILE", purpose="Train")
def pull(
    source: Annotated[
        str,
        argument(
            "hf://OWNER/NAME",
            "The repository, optionally with @REVISION and /FILE; or a folder written by push.",
        ),
    ],
    /,
    *,
    out: Annotated[Path, option("FILE", "The policy file to write.")],
) -> None:
    """Download a policy from the Hugging Face Hub.

    [bold]Example[/bold]

    plyground pull hf://OWNER/NAME --out c4.onnx
    """
    network = load_policy_file(_file_in(source))
    network.write(out)
    say(f"{out}: a policy for {network.game.spec}, played by policy:{out}")


def _file_in(source: str) -> str:
    """The policy file of a folder written by ``push``; other sources unchanged."""
    file = Path(source) / FILE
    return str(file) if SCHEME_END not in source and file.is_file() else source


def _write(network: OnnxNetwork, folder: Path, name: str, source: str) -> None:
    """Write the policy file and its card."""
    path = folder / name
    with refusing(OSError, f"{folder} cannot be written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        network.write(path)
        (folder / CARD).write_text(HEADER + _card(network, source), encoding="utf-8")


def _card(network: OnnxNetwork, source: str) -> str:
    """The card: the file's metadata, and how to play the policy."""
    agent = f"policy:{source}" if network.has_policy else f"mcts:network={source}"
    states = "\n".join(
        f"- `{plain_text(name)}`: {plain_text(text)}" for name, text in network.metadata.items()
    )
    return f"""# A policy for {network.game.name}

An agent of plyground, as an ONNX file:

```console
$ pip install "plyground[hub]"
$ plyground play {network.game.spec} --against {agent}
```

Its metadata:

{states}
"""
