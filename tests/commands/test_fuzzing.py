"""Cases that no user would write on purpose: no trace, no hang, no memory used up.

``cd tests && python -m fuzzing.cases 10000`` tries many more.
"""

from __future__ import annotations

import hypothesis
import pytest
from fuzzing.cases import FAULTS, Playground
from hypothesis import strategies as st

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def playground(tmp_path_factory):
    return Playground(tmp_path_factory.mktemp("fuzzing"))


@pytest.mark.parametrize("number", FAULTS)
def test_a_case_that_found_something_once_finds_nothing_now(number, playground):
    assert playground.complaint(number) is None


@hypothesis.given(number=st.integers(0, 2**32))
@hypothesis.settings(max_examples=120)
def test_every_case_ends_with_an_answer_or_one_sentence(number, playground):
    assert playground.complaint(number) is None
