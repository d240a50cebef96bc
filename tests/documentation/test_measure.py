"""The ratchet of sizes: a figure may fall, and rises only with a reason on record."""

from __future__ import annotations

import importlib.util
import tomllib

import pytest
from helpers import ROOT

PLACE = importlib.util.spec_from_file_location(
    "measure", ROOT / "benchmarks" / "structure" / "measure.py"
)
measure = importlib.util.module_from_spec(PLACE)
PLACE.loader.exec_module(measure)
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
