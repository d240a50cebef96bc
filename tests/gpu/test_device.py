"""Games on a device: what was lowered for CUDA runs on the processor, and plays the same games."""

from typing import Any, NamedTuple

import gymnasium
import numba
import numpy as np
import pytest
import torch
from gpu.device_games import GAMES, STEPS, batches, check_equality, play_both
from gymnasium.vector import AutoresetMode
from plyground import make_game
from plyground.agents.opponents import make_opponents
from plyground.envs.compiled.cuda.arguments import kind_of
from plyground.envs.compiled.cuda.code import (
    UnsupportedKernelError,
    assembled,
    cubin,
    lowered,
    ptx,
)
from plyground.envs.compiled.cuda.devices import Processor
from plyground.envs.compiled.cuda.inline import LARGE_FUNCTION
from plyground.envs.compiled.kernels import kernel
from plyground.envs.compiled.threads import bytes_of_copies, for_threads, own, share
from plyground.envs.registry import game_names
from plyground.envs.single_agent.batches import make_batch
from plyground.envs.single_agent.device_batch import DeviceBatch
from plyground.envs.single_agent.game_batch import GameBatch
from plyground.training.sb3 import BoardVecEnv

LARGE = LARGE_FUNCTION[0]
MIXTURE = "mix:0.5 random,0.5 greedy"


@pytest.mark.parametrize("spec", game_names())
def test_every_game_is_the_same_to_the_bit(spec):
    play_both(*batches(spec, None, opening_plies=4))


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("spec", game_names())
def test_opponents_reply_with_the_same_moves(spec):
    has_heuristics = bool(make_game(spec).declaration.heuristics)
    opponent = MIXTURE if has_heuristics else "random"
    play_both(*batches(spec, opponent, opening_plies=4, seat="random"))


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize("spec", game_names())
def test_searches_reply_with_the_same_moves(spec):
    play_both(*batches(spec, "alphabeta:depth=2,table=0.01", games=16, opening_plies=8))


@pytest.mark.parametrize(
    ("spec", "opponent"),
    [
        ("connect_four", "alphabeta:depth=4"),
        ("connect_four", "alphabeta:depth=3,table=0,ordering=none"),  # by the rules
        ("tic_tac_toe", "minimax:depth=4"),
        ("dots_and_boxes:rows=2,cols=2", "alphabeta:depth=4,table=0.05"),
        ("dots_and_boxes", "alphabeta:depth=4,table=0.05,width=3"),  # by the whole search
        ("gomoku:size=9", "alphabeta:depth=2,heuristic=caro15,radius=1"),
        pytest.param(  # LLVM takes more than ten minutes for its code
            *("gomoku:size=7", "mix:0.3 random,0.3 greedy,0.4 alphabeta:depth=2"),
            marks=pytest.mark.slow,
        ),
        ("kalah:pits=3,seeds=2", "alphabeta:depth=3,table=0.05"),
        ("kalah:pits=3,seeds=2", "alphabeta:depth=2,table=0.01,values=yes"),
        ("othello:size=6", "minimax:depth=2,heuristic=none"),
    ],
)
def test_searches_with_other_options_reply_with_the_same_moves(spec, opponent):
    play_both(*batches(spec, opponent, games=8, opening_plies=6))


@pytest.mark.parametrize(
    ("spec", "opponent"),
    [
        ("tic_tac_toe", "mix:0.5 mcts:simulations=40,0.5 montecarlo:simulations=9"),
        ("dots_and_boxes:rows=2,cols=2", "mcts:simulations=20"),  # a player moves again
        pytest.param("kalah:pits=3,seeds=2", "mcts:simulations=20", marks=pytest.mark.thorough),
        pytest.param("connect_four", "mcts:simulations=20", marks=pytest.mark.thorough),
        pytest.param("connect_four", "montecarlo:simulations=5", marks=pytest.mark.thorough),
    ],
)
def test_playouts_reply_with_the_same_moves(spec, opponent):
    play_both(*batches(spec, opponent, games=8, opening_plies=3))


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["mcts:simulations=12", "montecarlo:simulations=3"])
@pytest.mark.parametrize("spec", game_names())
def test_playouts_reply_with_the_same_moves_in_every_game(spec, opponent):
    play_both(*batches(spec, opponent, games=4, opening_plies=6))


def test_trees_that_do_not_fit_into_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr(Processor, "free_bytes", lambda self: 8 << 20)
    with pytest.raises(ValueError, match=r"needs 4\.\d+ MiB for each of 4 games.* simulations"):
        batches("tic_tac_toe", "mcts:simulations=10000", games=4)


def test_games_begin_at_positions_and_with_other_opponents():
    ours, theirs = batches("tic_tac_toe", "random")
    position = make_game("tic_tac_toe").initial_position()
    position.play(4)
    records = np.repeat(np.asarray(position.record).reshape(1), GAMES)
    for batch in (ours, theirs):
        batch.start_from(records, np.arange(GAMES) % 2, seed=3)
    check_equality(ours, theirs)
    for batch in (ours, theirs):
        batch.set_opponents(make_opponents(["random", "random"], batch.game))
    check_equality(ours, theirs)
    assert ours.state.opponents.any()


def both_environments(mode, opponent):
    """The environments of gymnasium, on the processor and on a device."""
    return [
        gymnasium.make_vec(
            "plyground/TicTacToe-v0",
            num_envs=8,
            opponent=opponent,
            autoreset_mode=mode,
            opening_plies=3,
            device=device,
        )
        for device in ("cpu", Processor())
    ]


def check_values(ours, theirs):
    """The same entries, of the same types; what is missing on the processor is not compared."""
    if isinstance(ours, dict):
        for name, value in ours.items():
            check_values(value, theirs[name])
    elif ours.dtype == object:
        for value, row in zip(ours, theirs):
            assert value is None or np.array_equal(value, row.numpy())
    else:
        assert ours.dtype == theirs.numpy().dtype
        assert np.array_equal(ours, theirs.numpy())


@pytest.mark.parametrize("opponent", [None, "random", "zoo:tic_tac_toe"])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_environments_return_the_same_in_every_mode(mode, opponent):
    ours, theirs = both_environments(mode, opponent)
    for here, there in zip(ours.reset(seed=5), theirs.reset(seed=5)):
        check_values(here, there)
    random, ends = np.random.default_rng(0), 0
    for turn in range(STEPS):
        masks = ours.unwrapped.games.state.masks
        actions = (random.random(masks.shape) * masks).argmax(1)
        actions[0] = 8 if turn % 7 == 3 else actions[0]
        *returned, infos = theirs.step(torch.as_tensor(actions))
        for here, there in zip(ours.step(actions), (*returned, infos)):
            check_values(here, there)
        over = returned[2]
        ends += int(over.sum())
        if mode is AutoresetMode.DISABLED and over.any():
            fresh = theirs.reset(options={"reset_mask": over})
            again = ours.reset(options={"reset_mask": over.numpy()})
            for here, there in zip(again, fresh):
                check_values(here, there)
    assert ends > 8


def check_steps(ours, theirs):
    for here, there in zip(ours[:3], theirs[:3]):
        assert (here.dtype, here.shape) == (there.dtype, there.shape)
        assert np.array_equal(here, there)
    for here, there in zip(ours[3], theirs[3]):
        assert here.keys() == there.keys()
        for name, value in here.items():
            if name != "episode":  # with the time
                assert np.array_equal(value, there[name])


@pytest.mark.parametrize("symmetries", [False, True])
def test_stable_baselines_gets_the_same_arrays(symmetries):
    options = {"symmetries": symmetries, "opening_plies": 2, "render_mode": "rgb_array"}
    ours, theirs = (
        BoardVecEnv("tic_tac_toe", 8, "random", device=device, **options)
        for device in ("cpu", Processor())
    )
    for env in (ours, theirs):
        env.seed(4)
    assert np.array_equal(ours.reset(), theirs.reset())
    for _ in range(20):
        actions = ours.action_masks().argmax(1)
        assert np.array_equal(ours.action_masks(), theirs.action_masks())
        check_steps(ours.step(actions), theirs.step(actions))
    assert np.array_equal(ours.get_images(), theirs.get_images())


def test_a_batch_is_made_where_it_is_asked_for():
    batch = make_batch("tic_tac_toe", 2, None, device=Processor())
    batch.reset(seed=1)
    assert isinstance(batch, DeviceBatch)
    assert batch.arrays().positions.dtype == batch.game.declaration.dtype
    assert type(make_batch("tic_tac_toe", 2, None)) is GameBatch


def test_an_environment_shows_its_state():
    ours, theirs = both_environments("same-step", "random")
    for env in (ours, theirs):
        env.reset(seed=1, options={"position": ["b2"]})
    ours, theirs = ours.unwrapped, theirs.unwrapped
    assert [*map(str, theirs.positions)] == [*map(str, ours.positions)]
    assert np.array_equal(theirs.action_masks().numpy(), ours.action_masks())


def test_without_copies_the_tensors_are_those_of_the_games():
    env = gymnasium.make_vec(
        "plyground/TicTacToe-v0", num_envs=4, copy=False, device=Processor()
    ).unwrapped
    observations, infos = env.reset(seed=1)
    again, *_, later = env.step(infos["action_mask"].argmax(1))
    assert again.data_ptr() == observations.data_ptr() == env.games.state.observations.data_ptr()
    assert later["action_mask"].data_ptr() == infos["action_mask"].data_ptr()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "cuda:99"}, "device='cuda:99' is not possible: torch .* finds"),
        ({"device": "gpu"}, "device='gpu' is not possible; it is 'cpu', 'cuda' or 'cuda:1'"),
        ({"illegal": "raise"}, "illegal='raise' is possible only with device='cpu'"),
        ({"threads": 2}, "threads=2 is possible only with device='cpu'"),
        ({"opponent": "mcts:time=0.1"}, "opponent mcts.* does not play on a GPU; random, gr"),
        ({"opponent": "mcts:network=zoo:tic_tac_toe"}, "does not play on a GPU"),
        ({"opponent": "alphabeta:depth=5"}, "does not play on a GPU; .* and alphabeta to depth 4"),
        ({"opponent": "alphabeta:time=0.1"}, "does not play on a GPU; .* without time, nodes"),
        ({"opponent": "zoo:tic_tac_toe,symmetries=yes"}, "GPU; .* networks in float32 without"),
        ({"layout": "chw"}, "observation, layout, dtype"),
        ({"render_mode": "ansi"}, "render_mode='ansi' is possible only with device='cpu'"),
    ],
)
def test_what_does_not_run_there_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        gymnasium.make_vec(
            "plyground/TicTacToe-v0", num_envs=4, **({"device": Processor()} | options)
        )


@pytest.mark.parametrize("actions", [[0, 1], [0.5, 1, 2, 3], [True] * 4])
def test_actions_of_another_shape_or_type_are_refused(actions):
    _, batch = batches("tic_tac_toe", None, games=4)
    with pytest.raises(ValueError, match="call reset"):
        batch.step([0, 0, 0, 0])
    batch.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions are whole numbers of shape \(4,\)"):
        batch.step(actions)


@kernel
def allocate(counts, thread):
    counts[thread] = np.zeros(counts[thread]).size


def test_a_kernel_that_does_not_compile_is_refused_with_its_line():
    with pytest.raises(UnsupportedKernelError, match=r"test_device\.py, line \d+: .*zeros"):
        Processor().launch(allocate, 2, np.ones(2, np.int64))


@kernel
def add_up(buffers, thread):
    mine = own(buffers, thread)
    mine.scratch[0] += mine.steps[thread]
    mine.scratch[1] = thread
    mine.state.count += thread
    mine.shared[thread] = mine.state.count


@kernel
def scale(values, thread):
    values[thread] = values[thread] * 0.1 + 0.3


@pytest.mark.parametrize("capability", [(7, 5), (9, 0)])
def test_kernels_become_machine_code_that_rounds_as_a_processor(capability):
    kind = kind_of((np.ones(3),))
    code = lowered(scale, kind)
    intermediate = code.intermediate(capability, LARGE)
    text = ptx(intermediate, capability)
    assert f".target sm_{capability[0]}{capability[1]}" in text
    assert "mul" in text
    assert "fma" not in text
    assert cubin(scale, kind, capability) == (code.entry, assembled(intermediate, capability))


STATE = np.dtype([("count", np.int64)], align=True)


class Buffers(NamedTuple):
    scratch: Any
    steps: Any
    state: Any  # one record
    shared: Any


share(Buffers, "shared")


def test_each_thread_has_buffers_of_its_own_but_those_that_are_shared():
    device = Processor()
    state = np.full(1, 5, np.int64).view(STATE).view(np.recarray)[0]
    values = Buffers(np.array([10, 0]), np.arange(3), state, np.zeros(3, np.int64))
    for_all = for_threads(values, 3)
    assert bytes_of_copies(for_all) == 8 * 3 * (2 + 3 + 1)
    buffers = device.put(for_all)
    device.launch(add_up, 3, buffers)()
    assert buffers.scratch.values.tensor.tolist() == [[10, 0], [11, 1], [12, 2]]
    assert buffers.shared.tensor.tolist() == [5, 6, 7]


def test_buffers_of_one_item_are_copied_for_each_thread():
    for shape in (1,), (1, 2):
        copies = Processor().put(for_threads(np.zeros(shape, np.int8), 3))
        assert tuple(copies.values.tensor.shape) == (3, *shape)


def test_games_that_do_not_fit_into_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr(Processor, "free_bytes", lambda self: 8 << 20)
    with pytest.raises(
        ValueError, match=r"needs 16\.\d MiB for each of 4 games, and cpu has 8 MiB"
    ):
        batches("kalah", "alphabeta:depth=2", games=4)


TABLE = np.arange(10_000, dtype=np.int64)[::-1].copy()


@kernel
def read(number):
    return TABLE[number]


@kernel
def look_up(values, thread):
    values[thread] = TABLE[read(read(values[thread]))]


def test_tables_larger_than_the_constant_memory_are_stored_once():
    numbers = np.array([0, 9_999, 7])
    device = Processor()
    values = device.put(numbers)
    device.launch(look_up, 3, values)()
    assert values.tensor.tolist() == TABLE[numbers].tolist()
    code = lowered(look_up, kind_of((numbers,)))
    text = ptx(code.intermediate((7, 5), LARGE), (7, 5))
    assert text.count(f"[{TABLE.nbytes}]") == 1
    assert ".const" not in text


def test_arguments_have_the_types_that_numba_gives_them():
    game = make_game("connect_four")
    batch = GameBatch(game, 2, make_opponents("random", game))
    arguments = game.rules, batch.state, batch._options, 1, 0.5, True
    assert kind_of(arguments) == numba.typeof(arguments)
    on_device = DeviceBatch(game, 2, batch.opponents, device=Processor())
    assert kind_of(on_device._arrays) == numba.typeof(batch.state)
