"""The shipped networks of all games together, and their pages."""

from __future__ import annotations

from command_line import invoke
from helpers import ROOT
from plyground import make_game
from plyground.agents.policies import zoo

CARDS = zoo.cards()
MOST_BYTES, MOST_BYTES_IN_ALL = 1_000_000, 9_000_000


def test_every_network_has_a_card_and_all_are_small():
    files = {path.relative_to(zoo.FOLDER).as_posix() for path in zoo.FOLDER.glob("*/*.onnx")}
    assert files == {card.file for card in CARDS}
    assert max(card.bytes for card in CARDS) <= MOST_BYTES
    assert sum(card.bytes for card in CARDS) <= MOST_BYTES_IN_ALL


def test_the_pages_are_those_of_the_cards(tmp_path):
    assert invoke(["zoo", "--out", str(tmp_path)]).exit_code == 0
    made = {
        path.relative_to(tmp_path): path.read_bytes()
        for path in tmp_path.rglob("*.*")
        if path.is_file()
    }
    docs = ROOT / "docs"
    files = [docs / "zoo.md", *(docs / "zoo").glob("*.md"), *(docs / "zoo" / "tables").glob("*")]
    assert made == {path.relative_to(docs): path.read_bytes() for path in files}
    pages = [path for path in files if path.suffix == ".md"]
    assert len(pages) == 1 + len({make_game(card.game).name for card in CARDS})
