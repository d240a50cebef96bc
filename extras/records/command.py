"""The command ``import``: games in the files of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ...commands.app import command
from ...commands.common import DEFAULT_STORE, StoreOption, argument, option
from ...commands.output import note
from ...envs.games.gomoku.gomocup import RULES
from ...envs.specification import SpecificationError, check_names
from ...evaluation.store.store import Store
from .formats import READERS, read_games
from .record import single_game_courses, store_record


@command("FILE...", purpose="Records", rank=1)
def import_(
    *files: Annotated[Path, argument("FILE", f"Files that end in .{', .'.join(READERS)}.")],
    rule: Annotated[
        str,
        option("|".join(RULES.values()), "The rule of games whose file does not state it."),
    ] = "freestyle",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Take over games from the files of other programs into a store.

    Gomoku in PSQ (Piskvork, Gomocup) and SGF, Hex in SGF (HexGui, Little Golem), Othello in GGF
    (GGS) and WTHOR. Games that the store holds already are left out; a file that is damaged, or
    holds what plyground cannot play, changes nothing.

    [bold]Examples[/bold]

    plyground import game.psq --store others.db

    plyground import games.sgf --rule standard --store others.db

    plyground import WTH_2020.wtb games.ggf --store othello.db
    """
    if not files:
        raise SpecificationError("import needs a file; plyground import --help explains it")
    check_names("there is no rule", [rule], RULES.values())
    records = [each for path in files for each in read_games(path, rule)]
    count = 0
    with Store(store) as games:
        present = single_game_courses(games)
        for record, result in records:
            key = (record.game.spec, record.labels, record.moves)
            if key in present:
                continue
            store_record(games, record, result)
            present.add(key)
            count += 1
    there = len(records) - count
    note(f"{count} games in {store}" + (f"; {there} were there already" if there else ""))
