"""Values of JSON against the types that they are read into: one sentence says what is wrong."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plyground.envs.loading.records import Range, Share, check_likeness, check_value, parse_json
from plyground.envs.specification import SpecificationError


class Point(NamedTuple):
    x: int
    y: Annotated[float, Range(0, 10)] = 0.0


class Record(TypedDict):
    name: str
    points: list[Point]
    shares: dict[str, Share]
    pair: tuple[int, bool]
    kind: Literal["a", "b"]
    more: NotRequired[int | None]


@dataclasses.dataclass
class Setting:
    size: int = dataclasses.field(default=3, metadata={"low": 1, "high": 9, "choices": None})


SOUND: dict[str, Any] = {
    "name": "n", "points": [{"x": 1}, {"x": 2, "y": 3}], "shares": {"s": 1}, "pair": [1, True],
    "kind": "a",
}  # fmt: skip
WRONG = [
    ({"name": 3}, "name is 3; it must be a text"),
    ({"name": "\ud800"}, 'name is "\\ud800"; it must be a text'),
    ({"points": {}}, "points is {}; it must be a list, each an object of JSON"),
    ({"points": [{"x": True}]}, "points.0.x is true; it must be a whole number"),
    ({"points": [{"x": 10**30}]}, f"points.0.x is 1{'0' * 30}; it must be a whole number"),
    ({"points": [{"x": 1, "y": -1}]}, "points.0.y is -1; it must be a number from 0 to 10"),
    ({"points": [{"y": 1}]}, "points.0 lacks x"),
    ({"points": [{"x": 1, "z": 1}]}, "points.0 cannot have 'z' (there are: x, y)"),
    ({"shares": {"s": float("nan")}}, "shares.s is NaN; it must be a number from 0 to 1"),
    ({"shares": {"s": float("inf")}}, "shares.s is Infinity; it must be a number from 0 to 1"),
    ({"pair": [1]}, "pair is [1]; it must be a list of 2: a whole number, true or false"),
    ({"pair": [1, 1]}, "pair.1 is 1; it must be true or false"),
    ({"kind": "c"}, 'kind is "c"; it must be one of "a", "b"'),
    ({"more": "x"}, 'more is "x"; it must be a whole number or null'),
]


def test_a_sound_value_is_accepted():
    check_value(SOUND, Record, "f.json")
    check_value(SOUND | {"more": None, "name": "é"}, Record, "f.json")
    check_value(SOUND | {"unknown": 1}, Record, "f.json", more=True)
    check_value({}, Setting, "f.json")


@pytest.mark.parametrize(("change", "words"), WRONG, ids=[words[:30] for _, words in WRONG])
def test_a_wrong_value_is_named_with_its_field_and_what_is_allowed(change, words):
    with pytest.raises(SpecificationError) as error:
        check_value(SOUND | change, Record, "f.json")
    assert str(error.value) == f"f.json: {words}"


def test_the_whole_may_be_wrong():
    with pytest.raises(SpecificationError, match=r"f.json: it holds \[\]; it must be an object"):
        check_value([], Record, "f.json")
    with pytest.raises(SpecificationError, match=r"size is 10; it must be .* from 1 to 9"):
        check_value({"size": 10}, Setting, "f.json")


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
                    lambda each: st.lists(each) | st.dictionaries(st.text(), each)))  # fmt: skip
def test_whatever_a_file_holds_is_accepted_or_refused(value):
    for kind in (Record, Point, Setting, dict[str, Any], list[Point], int | None, Any):
        with contextlib.suppress(SpecificationError):
            check_value(value, kind, "f.json")


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[" * 5000, b"9" * 5000, b"nul"])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(SpecificationError, match=r"^f.json is not JSON: "):
        parse_json(text, "f.json")


def test_a_state_is_like_its_model():
    model = {"a": np.zeros(3, np.float32), "b": [1, "x"], "c": {}, "d": None, "e": 0.5}
    model["rows"] = np.zeros((0, 2))
    check_likeness(model | {"c": {"k": 1}, "d": 7, "e": 1, "rows": np.zeros((9, 2))}, model, "f")
    with pytest.raises(SpecificationError, match=r"^f: it.rows is .* must be like"):
        check_likeness(model | {"rows": np.zeros((9, 3))}, model, "f")
    for change in ({"a": np.zeros(3)}, {"a": np.zeros(2, np.float32)}, {"b": [1, 2]}, {"e": "x"}):
        with pytest.raises(SpecificationError, match=f"^f: it.{next(iter(change))}.* must be like"):
            check_likeness(model | change, model, "f")
    with pytest.raises(SpecificationError, match=r"it.e is NaN"):
        check_likeness({"e": float("nan")}, model, "f")
