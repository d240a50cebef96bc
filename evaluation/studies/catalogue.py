"""All studies by their names."""

from __future__ import annotations

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

STUDIES = {
    module.STUDY.name: module.STUDY
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
