"""Policy files of the Hugging Face Hub: ``hf://OWNER/NAME[@REVISION][/FILE]``."""

from __future__ import annotations

import functools
from pathlib import Path

from ...envs.specification import refusing

FILE = "policy.onnx"  # the default file
NEEDS = 'the Hugging Face Hub needs huggingface_hub: pip install "plyground[hub]"'


@functools.cache  # the hub is queried once per process, even if many agents play one policy
def fetch(source: str) -> Path:
    """The file of a policy, in the cache of huggingface_hub.

    Raises:
        SpecificationError: there is none, or the hub cannot be reached.
    """
    with refusing(ImportError, NEEDS):
        from huggingface_hub import hf_hub_download, parse_hf_uri
    # the library's errors have no common class
    with refusing(Exception, f"{source} cannot be fetched"):
        uri = parse_hf_uri(source)
        name = uri.path_in_repo or FILE
        return Path(hf_hub_download(uri.id, name, repo_type=uri.type, revision=uri.revision))
