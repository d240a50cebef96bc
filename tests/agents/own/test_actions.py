"""What stands for an action: whole numbers of any library, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from plyground.envs.actions import NoActionError, whole_action, whole_actions


@pytest.mark.parametrize(
    "answer",
    [3, np.int64(3), np.uint8(3), np.array(3), torch.tensor(3), torch.tensor(3, dtype=torch.int8)],
)
def test_a_whole_number_of_any_library_is_an_action(answer):
    assert (whole_action(answer), type(whole_action(answer))) == (3, int)


@pytest.mark.parametrize(
    "answer",
    [
        None, 3.0, np.float64(3), np.array(3.0), torch.tensor(3.0), float("nan"), "3", b"3",
        True, np.True_, np.array(True), torch.tensor(True), np.array([1, 2]), np.array([[3]]), [3],
    ],
)  # fmt: skip
def test_anything_else_is_refused(answer):
    with pytest.raises(NoActionError, match=r"^returned .*; an action is a whole number$"):
        whole_action(answer)


@pytest.mark.parametrize("answer", [np.array([3]), torch.tensor([3])])
def test_an_array_of_one_element_is_refused_with_what_to_write(answer):
    with pytest.raises(NoActionError, match=r"action = action\[0\], and return int\(action\)$"):
        whole_action(answer)
    assert whole_action(int(answer[0])) == 3


@pytest.mark.parametrize(
    "answers",
    [[1, 2], (1, np.int8(2)), np.array([1, 2], np.uint8), torch.tensor([1, 2]),
     [np.array(1), torch.tensor(2)]],
)  # fmt: skip
def test_actions_of_many_positions_are_read_alike(answers):
    actions = whole_actions(answers, 2)
    assert (actions.tolist(), actions.dtype) == ([1, 2], np.int64)


@pytest.mark.parametrize(
    "answers",
    [None, 1, [1], [1, 2, 3], [1, 2.0], [1, None], [1, True], np.array([1.0, 2.0]),
     np.array([[1], [2]]), [np.array([1]), np.array([2])], np.array([True, False])],
)  # fmt: skip
def test_what_are_not_so_many_whole_numbers_is_refused(answers):
    with pytest.raises(NoActionError, match="no action"):
        whole_actions(answers, 2)
