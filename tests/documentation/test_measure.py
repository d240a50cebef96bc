"""The ratchet of sizes: a figure may fall, and rises only with a reason on record."""

from __future__ import annotations

import tomllib

import pytest
from helpers import script

measure = script("benchmarks/structure/measure.py")
RECORD = tomllib.loads(measure.RECORD.read_text("utf-8"))


def test_no_public_type_name_stands_for_two_types():
    figures = measure.count_names(measure.product_files())
    assert figures["public type names used twice"] == 0
    assert figures["public classes"] > 100


def test_what_is_counted_is_on_record_and_no_higher():
    figures = measure.count_names(measure.product_files()) | measure.listed(RECORD)
    assert {name: value for name, value in figures.items() if value > RECORD["figures"][name]} == {}


def test_a_list_that_names_what_is_gone_is_refused():
    with pytest.raises(SystemExit, match=r"measure\.toml names envs/gone\.py, which does not"):
        measure.listed({"reading": {"do": ["envs/gone.py"]}, "kinds": {}})
    with pytest.raises(SystemExit, match=r"names Gone of envs/rules\.py, which does not exist"):
        measure.listed({"reading": {}, "kinds": {"x": ["envs/rules.py:Gone"]}})


def test_what_is_to_be_read_follows_from_the_imports_of_the_models(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "ROOT", tmp_path)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.py").write_text(
        "from .b import Far\n\nONE = 1\nTWO = 2\n\n\nclass Near:\n    x = 1\n\n"
        "    def _own(self):\n        return 1\n\n    def shown(self):\n        return 2\n"
    )
    (tmp_path / "parts" / "b.py").write_text("def Far():\n    return 3\n\n\ndef _own(): ...\n")
    (tmp_path / "parts" / "model.py").write_text(
        "import numpy\nfrom .a import ONE, Far, Near\nfrom . import b\n"
    )
    lines = measure.lines_to_read(["parts/model.py"])
    counts = [sum(path.name == f"{name}.py" for path, _ in lines) for name in ("model", "a", "b")]
    assert counts == [3, 1 + 6, 2]  # not TWO, not _own


def test_another_checkout_and_what_sees_nothing_are_refused_and_not_recorded(tmp_path, monkeypatch):
    record = tmp_path / "measure.toml"
    record.write_text('[figures]\n"lines" = 9\n\n[reasons]\n\n[reading]\n\n[kinds]\n')
    before = record.read_text()
    monkeypatch.setattr(measure, "RECORD", record)
    monkeypatch.setattr(measure, "count_names", lambda files: {"lines": 8})
    monkeypatch.setattr(measure, "product_files", list)
    monkeypatch.setattr(measure, "ROOT", tmp_path)
    for way, complaint in (
        (lambda: measure.Trace().files, f"plyground is imported from .*, not from {tmp_path}"),
        (set, "no file was seen on the way of it"),
    ):
        monkeypatch.setattr(measure, "WAYS", {"it": way})
        with pytest.raises(SystemExit, match=complaint):
            measure.main(write=True)
    assert record.read_text() == before


@pytest.mark.parametrize(("limit", "status"), [(8, 1), (9, 0), (10, 0)])
def test_a_higher_figure_fails_and_a_lower_one_is_recorded(
    limit, status, tmp_path, monkeypatch, capsys
):
    record = tmp_path / "measure.toml"
    record.write_text(
        f'[figures]\n"lines" = {limit}\n\n[reasons]\n"lines" = "why"\n\n[reading]\n\n[kinds]\n'
    )
    monkeypatch.setattr(measure, "RECORD", record)
    monkeypatch.setattr(measure, "count_names", lambda files: {"lines": 9})
    monkeypatch.setattr(measure, "WAYS", {})
    assert measure.main(write=True) == status
    assert ("higher: say why" in capsys.readouterr().out) == bool(status)
    written = tomllib.loads(record.read_text())
    assert written["figures"] == {"lines": min(limit, 9)}
    assert written["reasons"] == {"lines": "why"}
