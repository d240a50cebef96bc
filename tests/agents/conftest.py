"""Models and policy files that tests of agents share."""

from __future__ import annotations

import pytest
from helpers import POLICY_GAMES


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("policies")


@pytest.fixture(scope="session")
def models():
    from models import Convolutions, new_model  # needs torch, which few of these tests do

    return {
        spec: new_model(spec, features_extractor_class=Convolutions)
        if "four" in spec
        else new_model(spec)
        for spec in POLICY_GAMES
    }


@pytest.fixture(scope="session")
def files(models, folder):
    """A policy file for each game."""
    from plyground.training.export import export_policy

    paths = {spec: folder / f"{number}.onnx" for number, spec in enumerate(POLICY_GAMES)}
    for spec, path in paths.items():
        export_policy(models[spec], path, spec)
    return paths


@pytest.fixture(scope="session")
def archive(models, folder):
    """A model as SB3 saves it."""
    models["connect_four"].save(folder / "model.zip")
    return folder / "model.zip"
