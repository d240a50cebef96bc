"""The grammar of specifications, ``name:key=value,…``, and the conversion of parameters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plyground.envs.specification import (
    Parameter,
    SpecificationError,
    convert_parameters,
    format_specification,
    parse_specification,
)


@pytest.mark.parametrize(
    ("text", "name", "argument", "parameters"),
    [
        ("connect_four", "connect_four", None, {}),
        (" connect_four ", "connect_four", None, {}),
        ("gomoku:size=10,rule=caro", "gomoku", None, {"size": "10", "rule": "caro"}),
        ("gomoku: size = 10 , rule = caro", "gomoku", None, {"size": "10", "rule": "caro"}),
        (
            "dots_and_boxes:dots=(5,5),reward=win",
            "dots_and_boxes",
            None,
            {"dots": "(5,5)", "reward": "win"},
        ),
        ("ppo:runs/c4", "ppo", "runs/c4", {}),
        ("ppo:runs/c4,greedy=yes", "ppo", "runs/c4", {"greedy": "yes"}),
        ("python:module:function", "python", "module:function", {}),
        ("x:a=b=c", "x", None, {"a": "b=c"}),
        ("x:./run '--a=1,2' 3,time=2", "x", "./run '--a=1,2' 3", {"time": "2"}),
        ("x:\"my, own\" b,c='d,e'", "x", '"my, own" b', {"c": "'d,e'"}),
        ("x:bob's,a=b's", "x", "bob's", {"a": "b's"}),
    ],
)
def test_a_specification_is_a_name_an_argument_and_parameters(text, name, argument, parameters):
    assert parse_specification(text) == (name, argument, parameters)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names nothing"),
        (":a=1", "names nothing"),
        ("x:a=1,b", "'b' in 'x:a=1,b' is not of the form KEY=VALUE"),
        *((text, "not of the form") for text in ("x:a=", "x:=1", "x:", "x:a=1,")),
        ("x:a=1,a=2", "'a' is given twice"),
    ],
)
def test_what_does_not_follow_the_grammar_is_refused(text, message):
    with pytest.raises(SpecificationError, match=message):
        parse_specification(text)


words = st.text("abcdefghijklmnopqrstuvwxyz_0123456789./", min_size=1, max_size=8)


@given(words, st.none() | words, st.dictionaries(words, words, max_size=4))
def test_formatting_is_the_inverse_of_parsing(name, argument, parameters):
    assert parse_specification(format_specification(name, parameters, argument)) == (
        name,
        argument,
        parameters,
    )


@given(st.floats(0.001, 1e6) | st.integers(-(10**6), 10**6) | st.booleans())
def test_a_written_value_is_read_as_the_same_value(value):
    parameter = Parameter("x", type(value), None)
    read = parameter.convert(
        parse_specification(format_specification("name", {"x": value})).parameters["x"], "name"
    )
    assert type(read) is type(value)
    assert read == value


WHOLE = Parameter("depth", int, 4, "plies", 1, 250)
ANY = Parameter("seed", int, 0)
SECONDS = Parameter("time", float, None, "seconds", 0.001)
RULE = Parameter("rule", str, "a", "which", choices=("a", "b"))
SWITCH = Parameter("fast", bool, False)


@pytest.mark.parametrize(
    ("parameter", "given_value", "value"),
    [
        (WHOLE, "6", 6),
        (WHOLE, 6.0, 6),
        (ANY, "-3", -3),
        (SECONDS, "0.5", 0.5),
        (SECONDS, 2, 2.0),
        (SECONDS, None, None),
        (RULE, "b", "b"),
        (SWITCH, "yes", True),
        (SWITCH, "False", False),
        (SWITCH, True, True),
    ],
)
def test_values_are_converted_to_the_parameter_s_type(parameter, given_value, value):
    converted = parameter.convert(given_value, "thing")
    assert converted == value
    assert type(converted) is type(value)


@pytest.mark.parametrize(
    ("parameter", "value", "allowed"),
    [
        *((WHOLE, value, "a whole number from 1 to 250")
          for value in ("0", 251, "1.5", 1.5, True, None)),
        (ANY, "x", "a whole number"),
        (SECONDS, "0", "a number of at least 0.001"),
        (SECONDS, "nan", "a number of at least 0.001"),
        (RULE, "c", "one of a, b"),
        (SWITCH, "perhaps", "yes or no"),
    ],
)  # fmt: skip
def test_a_bad_value_is_refused_with_what_is_allowed(parameter, value, allowed):
    name = parameter.name
    message = rf"{name}={value} is not possible for thing: {name} must be {allowed}(;| \(|$)"
    with pytest.raises(SpecificationError, match=message):
        parameter.convert(value, "thing")


def test_parameters_that_are_not_given_have_their_defaults():
    assert convert_parameters("thing", (WHOLE, RULE, SWITCH), {"rule": "b"}) == {
        "depth": 4,
        "rule": "b",
        "fast": False,
    }


@pytest.mark.parametrize(
    ("parameters", "name", "complaint"),
    [
        ((WHOLE, RULE), "deph", r"'deph'; did you mean 'depth'\? \(it has: depth, rule\)"),
        ((), "x", r"'x' \(it has none\)"),
    ],
)
def test_unknown_parameters_are_refused_with_those_known(parameters, name, complaint):
    with pytest.raises(SpecificationError, match=f"thing has no parameter {complaint}"):
        convert_parameters("thing", parameters, {name: 3})
