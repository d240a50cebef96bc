"""All studies by their names, with the claims of their courses.

The claims are data: a file per study in the folder ``claims``. Each table in it is a claim, under
the title of the experiment that measures it, with the fields of :class:`.declaration.Claim` and
``range`` for its ends.
"""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import Any

from .declaration import Claim, Study
from .declared import (
    caro10,
    caro15,
    connect_four,
    dots_and_boxes,
    kinds_of_games,
    search_and_learning,
    tic_tac_toe,
)

ALL = "all"
FOLDER = Path(__file__).parent / "claims"


def with_claims(study: Study) -> Study:
    """The study with the claims of its file, if any, before its declared claims.

    Raises:
        ValueError: the file has an experiment that the study does not have.
    """
    path = FOLDER / f"{study.name}.toml"
    tables = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    unknown = tables.keys() - {experiment.title for experiment in study.experiments}
    if unknown:
        raise ValueError(f"{path.name} has claims of {sorted(unknown)}, which are not measured")
    experiments = (
        dataclasses.replace(
            experiment,
            claims=(*map(_claim, tables.get(experiment.title, ())), *experiment.claims),
        )
        for experiment in study.experiments
    )
    return dataclasses.replace(study, experiments=tuple(experiments))


def _claim(table: dict[str, Any]) -> Claim:
    fields = dict(table)
    if "range" in fields:
        fields["low"], fields["high"] = fields.pop("range")
    where = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in fields.pop("where", {}).items()
    }
    return Claim(**fields, where=tuple(where.items()))


STUDIES = {
    module.STUDY.name: with_claims(module.STUDY)
    for module in (
        dots_and_boxes,
        connect_four,
        tic_tac_toe,
        caro15,
        caro10,
        search_and_learning,
        kinds_of_games,
    )
}
