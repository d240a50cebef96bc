"""The command ``import``: games in the files of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ...commands.app import command
from ...commands.common import DEFAULT_STORE, StoreOption, argument, flag, option
from ...commands.output import note
from ...envs.games.gomoku.gomocup import RULES
from ...envs.loading.texts import counted
from ...envs.specification import SpecificationError, check_names
from ...evaluation.store.store import Store
from .formats import READERS, read_games
from .record import RecordError, present_keys, store_record


@command("FILE...", purpose="Records", rank=1)
def import_(
    *files: Annotated[Path, argument("FILE", f"Files that end in .{', .'.join(READERS)}.")],
    rule: Annotated[
        str,
        option("|".join(RULES.values()), "The rule for games whose file does not state it."),
    ] = "freestyle",
    strict: Annotated[bool, flag("Import nothing if any game cannot be read.")] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Import games from the files of other programs into a store.

    Gomoku in PSQ (Piskvork, Gomocup) and SGF, Hex in SGF (HexGui, Little Golem), Othello in GGF
    (GGS), WTHOR and SGF (Quarry). Games already in the store are skipped. Games that plyground
    cannot read or play are skipped and listed. A damaged file changes nothing.

    [bold]Examples[/bold]

    plyground import game.psq --store others.db

    plyground import games.sgf --rule standard --store others.db

    plyground import WTH_2020.wtb games.ggf --store othello.db
    """
    if not files:
        raise SpecificationError("import needs a file; plyground import --help explains it")
    check_names("there is no rule", [rule], RULES.values())
    unreadable: list[RecordError] = []
    records = [
        each for path in files for each in read_games(path, rule, None if strict else unreadable)
    ]
    if not records:
        raise unreadable[0]
    for error in unreadable:
        note(f"plyground: {error}")
    count = 0
    with Store(store) as games:
        present = present_keys(games, (record for record, _ in records))
        for record, result in records:
            if record.key not in present:
                store_record(games, record, result)
                present.add(record.key)
                count += 1
    there, missing = len(records) - count, len(unreadable)
    note(
        f"{counted(count, 'game')} in {store}"
        + (f"; {there} were there already" if there else "")
        + (f"; {missing} cannot be read, see above" if missing else "")
    )
