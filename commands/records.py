"""Games in the files of other programs: ``import``, and two formats of ``export``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

from ..envs.loading.files import written_whole
from ..envs.specification import SpecificationError, check_names
from ..evaluation.records.formats import READERS, read_games
from ..evaluation.records.gomocup import RULES
from ..evaluation.records.psq import write_psq
from ..evaluation.records.record import single_game_courses, store_record, stored_records
from ..evaluation.records.sgf import write_sgf
from ..evaluation.store.store import Store, StoreError
from .app import command
from .common import DEFAULT_STORE, StoreOption, argument, option
from .output import note

PSQ, SGF = RECORD_FORMATS = ("psq", "sgf")


@command("FILE...")
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


def export_records(store: Path, format: str, out: Path | None) -> None:
    """Write the games of gomoku of a store: to a file of SGF, or as files of PSQ in a folder."""
    with Store(store) as games:
        records = list(stored_records(games))
    if not records:
        raise SpecificationError(f"{store} holds no game of gomoku, which {format} is for")
    try:
        if format == PSQ:
            if out is None:
                raise SpecificationError("psq holds one game a file; name the folder: --out FOLDER")
            out.mkdir(parents=True, exist_ok=True)
            digits = len(str(len(records)))
            for number, record in enumerate(records, 1):
                players = "-".join(re.sub(r"\W+", "_", name)[:30] for name in record.players)
                with written_whole(out / f"{number:0{digits}}-{players}.psq") as stream:
                    stream.write(write_psq(record).encode())
        elif out is None:
            sys.stdout.writelines(write_sgf(records))
        else:
            with written_whole(out) as stream:
                stream.writelines(text.encode() for text in write_sgf(records))
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {error.strerror}") from None
    if out is not None:
        note(f"{len(records)} games in {out}")
