"""Whatever a user writes that is not possible: one sentence with status 2, and nothing is made."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import refused

# A command line and a part of what is said of it. LONG stands for a very long word, PAIR for a
# tournament of tic-tac-toe, FOUR for one of connect four, TRAIN for a run of tic-tac-toe,
# TUNE for a sweep.
TABLE = """
nothing | nknown command
LONG | nknown command
tournement | Did you mean "tournament"?
games connect_four | unexpected arguments: connect_four
--import no_such_module games | there is no module 'no_such_module'
--import | --import needs the name

size chess | there is no game 'chess'
warm-up chess | there is no game 'chess'
warm-up gomoku --clear | --clear cannot be combined with games
size my_game | ; --import MODULE before the command imports a module that registers your
size gomoku:size=٣ | size must be a whole number
size kalah:pits=200 | kalah has games of up to 63,840,800 plies
size dots_and_boxes:dots=300x300 | rows must be a whole number from 1 to 200
size othello:size=21 | size must be even
size connect_four:rows=3,cols=3 | 4 in a row do not fit
size connect_four:weight=3 | no parameter 'weight'
perft hexx --depth 2 | there is no game 'hexx'
perft connect_four | perft needs --depth; plyground perft --help explains it
perft connect_four --depth | --depth needs a value; plyground perft --help
perft gomoku --depth ٣ | --depth ٣ is not possible
perft gomoku --depth 1_0 | --depth 1_0 is not possible
perft gomoku --depth 0x1 | --depth 0x1 is not possible
agents rnadom | did you mean 'random'?

analyse | give a GAME or an --example
analyse LONG | there is no game
analyse tic_tac_toe:size=MANY | is not possible
analyse tic_tac_toe:size=21 | size must be a whole number from 2 to 20
analyse tic_tac_toe:size=3,cols=4 | size cannot be given together with cols for tic_tac_toe: size
analyse tic_tac_toe:rows=2,cols=2,connect=3 | do not fit
analyse connect_four:columns=4 | did you mean 'cols'? (it has: rows, cols, connect)
analyse connect_four:rows=0 | rows=0 is not possible for connect_four: rows must be a whole
analyse connect_four:rows=21,cols=20 | at most 400 cells, 21 rows and 20 columns have 420
analyse connect_four:rows=3,cols=3 | 4 in a row do not fit on 3 rows and 3 columns
analyse gomoku:rule=renju | rule must be one of freestyle, standard, caro, caro_overline
analyse gomoku:size=21 | size must be a whole number from 3 to 20
analyse dots_and_boxes:dots=5 | write two numbers
analyse dots_and_boxes:dots=2x2,rows=3 | dots cannot be given together with rows for dots_and_boxes
analyse dots_and_boxes:cols=3,rows=3,dots=2x2 | with rows and cols for dots_and_boxes: dots stands
analyse dots_and_boxes:reward=money | reward must be one of win, margin
analyse dots_and_boxes:rows=16,cols=15 | at most 480 edges, 16 × 15 boxes have 511
analyse dots_and_boxes:rows=1,cols=1,start=swedish | leaves no edge
analyse dots_and_boxes:dots=-3x3 | write two numbers
analyse dots_and_boxes:dots=[5;5] | write two numbers
analyse dots_and_boxes:dots=4x4,rows=3 | cannot be given together with rows
analyse --example c10 | there is no example 'c10'; the examples are c15-attack,
analyse tic_tac_toe --moves MANY | the name is too long
analyse connect_four --moves d,z | 'z' is no column of this board
analyse tic_tac_toe --moves a1,b1,a2,b2,a3 | the game is over after the moves
analyse connect_four --position 7/7/7/7/X6/7 | the disc on a2 floats
analyse connect_four --agent nobody | there is no agent 'nobody'
analyse connect_four --agent human | cannot analyse; to play yourself: plyground play GAME
analyse tic_tac_toe --agent greedy:seed=3 | greedy has no parameter 'seed'
analyse tic_tac_toe --agent greedy:game=gomoku | greedy has no parameter 'game'
analyse tic_tac_toe --agent greedy:self=1 | greedy has no parameter 'self'
analyse tic_tac_toe --agent onnx:/dev/zero | it is a device, and no file
analyse tic_tac_toe --agent onnx:LONG | the policy file
analyse tic_tac_toe --agent alphabeta:depth=1,book=LONG | opening book
analyse kalah --agent alphabeta:book=centre | book=centre needs a board with a centre
analyse tic_tac_toe --agent alphabeta:table=900000 | this machine has
analyse tic_tac_toe --agent alphabeta:width=5,ordering=none | width= needs an ordering
analyse tic_tac_toe --agent mcts:network=zoo:tic_tac_toe,playout=uniform | does not go with network=
analyse tic_tac_toe --agent mcts:network=zoo:tic_tac_toe,threads=2 | threads= does not go with net
analyse tic_tac_toe --agent mcts:network=zoo:tic_tac_toe,batch=0 | batch must be a whole number from
analyse tic_tac_toe --agent mcts:batch=2 | batch= is for searches with a network; give network= as w
analyse tic_tac_toe --agent mcts:network=nowhere.onnx | no policy file or training run 'nowhere.onnx
analyse tic_tac_toe --agent mcts:network=model.zip | made a policy file by plyground export-policy
analyse tic_tac_toe --agent mcts:network=zoo:chess | no network 'chess'
analyse gomoku --agent mcts:endgame=10 | gomoku is beyond the solver: rows * (cols + 1) may be at mo
analyse gomoku --agent mcts:endgame=solver | beyond the solver: rows * (cols + 1) may be at most 64,
analyse gomoku --agent solver | rows * (cols + 1) may be at most 64, here it is 240
analyse connect_four --agent solver:threads=257 | threads=257 is not possible for solver
analyse connect_four --agent solver:threads=some | threads=some is not possible for solver
analyse connect_four:rows=5 --agent zoo:connect_four | zoo:connect_four plays connect_four, not
analyse connect_four --agent zoo:conect_four | no network 'conect_four'
analyse connect_four --agent zoo | plyground zoo lists
analyse tic_tac_toe --agent policy | write policy:FILE
analyse tic_tac_toe --agent ppo | write policy:FILE
analyse tic_tac_toe --agent ppo:. | has no best.onnx
analyse tic_tac_toe --agent ppo:model.zip | is played by sb3:model.zip,trained_on=GAME
analyse tic_tac_toe --agent onnx:nowhere.onnx | there is no policy file or training run 'nowhere.onn
analyse tic_tac_toe --agent onnx:nowhere.onnx,temperature=-1 | must be a number from 0 to 100
analyse tic_tac_toe --agent sb3 | write sb3:FILE,trained_on=GAME
analyse tic_tac_toe --agent sb3:nowhere.zip | does not state its game; add trained_on=
analyse connect_four --agent sb3:nowhere.zip,trained_on=connect_four | there is no file 'nowhere.zip
analyse connect_four --agent gomoku | the agent gomoku plays gomoku with up to 5
analyse gomoku:connect=6 --agent gomoku | the agent gomoku plays gomoku with up to 5
analyse connect_four --agent mcts:network=patterns | plays gomoku, not connect_four
analyse gomoku:connect=8 --agent mcts:network=patterns | rows of up to
analyse gomoku --agent mcts:network=patterns,threads=2 | threads= does not go with network=
analyse gomoku --agent gomocup | write gomocup:COMMAND
analyse gomoku --agent gomocup:no-such-engine | there is no program 'no-such-engine'
analyse gomoku --agent gomocup:'x | cannot be read
analyse gomoku --agent gomocup:/bin/sh,folder=/no/such | there is no folder '/no/such'
analyse gomoku --agent gomocup:/bin/sh,time=0 | time must be a number from 0.001
analyse connect_four --agent gomocup:/bin/sh | protocol does not support connect_four
analyse gomoku:size=7,connect=4 --agent gomocup:/bin/sh | does not support gomoku:size=7,connect=4
solve chess | there is no game 'chess'
solve tic_tac_toe --example c4-half | --example cannot be combined with GAME or --position
solve tic_tac_toe --position XXX/OO1/3 | the game is over in this position
solve gomoku:size=19 | gomoku:size=19 is beyond the solver: rows
solve gomoku:size=7,rule=standard | with rule=freestyle, other rules only where no more than
solve tic_tac_toe:size=8 | rows * (cols + 1) may be at most 64, here it is 72
solve connect_four:rows=12,cols=12 | (rows + 1) * cols at most 64
solve connect_four:rows=7,cols=8 --memory 16 | memory=16 is not enough
solve hex:size=9 | boards of at most 64 cells, this one has 81
solve dots_and_boxes:rows=6,cols=6 | boards of at most 64 edges
solve dots_and_boxes:rows=15,cols=15 | boards of at most 64 edges
solve tic_tac_toe:size=4 --threads 0 | threads
solve dots_and_boxes:dots=3x3 --check 3 | --check needs --proof
solve tic_tac_toe --time ٣ | --time ٣ is not possible
solve connect_four --memory 1048576 | not enough memory

match hex my_agent random | ; --import MODULE before the command imports a module
match hex greedy:heuristic=mine random | ; --import MODULE before the command imports a module
match hex alphabeta:ordering=mine random | ; --import MODULE before the command imports a module
match connect_four random random --opening d,z | 'z' is no column of this board
match tic_tac_toe random random --opening b2,b2 | action 4 (b2) is not legal here
match tic_tac_toe random random --opening a1,b1,a2,b2,a3 | the game is over after the moves
match gomoku random random --memory-limit ٣G | is not an amount of memory

tournament | tournament needs GAME|FILE; plyground tournament --help explains it
tournament connect_fuor random random | did you mean 'connect_four'?
tournament connect_four:rows=99 random random | rows must be a whole number from 1 to
tournament connect_four | at least two agents, not 0
tournament connect_four random | at least two agents, not 1
tournament connect_four random human | a person cannot play in a tournament
tournament connect_four random rnadom | there is no agent 'rnadom'; did you mean 'random'?
tournament connect_four random alphabeta:dpeth=3 | did you mean 'depth'?
tournament tic_tac_toe random alphabeta:heuristic=windows | windows
tournament tic_tac_toe random python:no_such_module:f | there is no module 'no_such_module'
tournament missing.toml | the tournament file missing.toml cannot be read: No such file
PAIR --pears 3 | Did you mean --pairs?
PAIR --pairs 0 | --pairs must be a whole number from
PAIR --pairs 1000000000 | --pairs must be a whole number from
PAIR --pairs few | --pairs few is not possible
PAIR --pairs 1 --pairs 2 | specified multiple times
PAIR --seed -1 | --seed
PAIR --seed 99999999999999999999 | --seed must be a whole number from 0 to
PAIR --format swiss | --format must be one of round-robin, gauntlet, ladder
PAIR --store missing/games.db | does not exist
PAIR --store . | is a folder
PAIR --store LONG | File name too long
PAIR --opening random | there is no file 'random'
PAIR --opening all:x | there is no file 'all:x'
PAIR --opening random:-1 | openings are random:PLIES, all:PLIES, swap2:STONES, balanced:STONES
PAIR --opening LONG | there is no file
PAIR --opening random:MANY | there is no file
PAIR --opening random:9 | lasts at most 9 plies; an opening of 9 plies leaves nothing to play
PAIR --opening all:8 | no opening of 8 plies leaves tic_tac_toe undecided
PAIR --opening random:8 | choose fewer opening plies
tournament gomoku random greedy --opening swap2:0 | has from 1 to 24 stones, not 0
tournament gomoku random greedy --opening swap2:30 | has from 1 to 24 stones, not 30
PAIR --balanced alphabeta:depth=2 | the largest distance from 0 with --within POINTS (half of
PAIR --balanced alphabeta:time=1 --within 5 | so its judgement is not repeatable; limit it by
PAIR --balanced random | random cannot judge openings: it does not evaluate positions
PAIR --balanced alphabeta:depth=2 --within -1 | within must be a number of at least 0
PAIR --balanced nobody | there is no agent 'nobody'
PAIR --within 5 | applies only to openings that are judged (--balanced AGENT)
FOUR --opening random:1 --balanced alphabeta:depth=6 --within 0 | allow more (--within)
PAIR --runner cloud | --runner must be one of local, processes
PAIR --runner local --concurrency 2 | one job at a time
PAIR --runner processes --address auto |  has an --address
PAIR --memory-limit much | not an amount of memory
PAIR --memory-limit 1M | needs a memory_limit of at least 256M
PAIR --isolate perhaps | --isolate must be one of auto, always, never
PAIR --move-timeout 0 | --move-timeout must be a number from 1e-06 to 1000000000
PAIR --move-timeout nan | --move-timeout nan is not possible
PAIR --game-time -1 | --game-time must be a number from 1e-06
PAIR --draw-after 0 | --draw-after=0 is not possible for a tournament
PAIR --agreed-after -1 | --agreed-after must be a whole number of at least 1

sprt tic_tac_toe human random | a person cannot play in a test
sprt tic_tac_toe random greedy --elo1 1e308 | --elo1 must be a number
sprt tic_tac_toe random greedy --elo1 nan | --elo1 nan is not possible
sprt tic_tac_toe random greedy --elo0 5 --elo1 5 | elo0 must be less than elo1, not 5 and 5
sprt tic_tac_toe random greedy --alpha 0 | alpha must be a number from 1e-06 to 0.499
sprt tic_tac_toe random greedy --beta 0.5 | beta must be a number from 1e-06 to 0.499
report none.db | there is no store
report LONG | File name too long
report --anchor random=1_0 | an anchor is an agent and its rating
export /dev/null | cannot be a store
verify / | is a folder

book tic_tac_toe --out ttt.book --agent human | the agent human cannot analyse
book tic_tac_toe --out ttt.book --plies 99 | no game of tic_tac_toe has more than 9
book tic_tac_toe --out . | cannot be written: it is a folder
book connect_four --plies 1 --out missing/book | opening book missing/book cannot be written
book tic_tac_toe --exact --plies 2 --out a.npy | exact openings exist for connect four only
book connect_four:rows=1,cols=4 --exact --plies 4 --out a.npy | all games of connect_four:rows=1,col
book connect_four:rows=9,cols=9 --exact --plies 2 --out a.npy | at most 64
dataset connect_four --positions 5 --out a.npz --plies x | --plies x is not of the form
dataset connect_four --positions 5 --out a.npz --plies 40-50 | plies 40 to 50 are not possible
dataset connect_four --positions 5 --out a.txt | not a .parquet or .npz file
dataset connect_four --positions 5 --out missing/a.npz | its folder does not exist
dataset connect_four --positions 0 --out a.npz | positions
dataset gomoku --positions 5 --out a.npz | solver
dataset tic_tac_toe --positions 5 --out a.npz --by greedy --from-store b.db | be combined
dataset tic_tac_toe --positions 5 --out a.npz --from-store b.db | b.db
dataset tic_tac_toe --positions 5 --out a.npz --by gredy | there is no agent 'gredy'
quality gomoku random | gomoku is beyond the solver
quality tic_tac_toe | give the agents to judge, or a store of games with --games STORE
quality tic_tac_toe nobody | there is no agent 'nobody'
quality tic_tac_toe human | a person at the terminal is not judged; use: plyground play GAME
quality dots_and_boxes:rows=6,cols=6 random | the exact solver takes boards of at most 64 edges
quality tic_tac_toe random --from-ply 9 | tic_tac_toe lasts at most 9 plies; --from-ply can be
quality tic_tac_toe --games none.db | there is no store none.db

curves | give the folders of the runs to draw
train ppo tic_tac_toe | give the folder of the run: --out FOLDER
train ppo tic_tac_toe --hours 3min | in hours; 0: no limit); a number is written
train ppo tic_tac_toe --steps 10minutes | a whole number is written as 3000, 3k, 3e3
TRAIN --opponent human | a person cannot play in training
TRAIN --evaluate human | a person cannot play in training
TRAIN --seed -1 | invalid value "-1" for --seed
TRAIN --seeds 0 | --seeds
TRAIN --seeds 3 --seed 4294967295 | the largest seed is 4294967295
TRAIN --seeds 2 --set colour=red | there is no setting 'colour'
TRAIN --device gpu | it is one of auto, cpu, cuda, cuda:0
TRAIN --opponent alphabetta | there is no agent 'alphabetta'; did you mean 'alphabeta'
TRAIN --opponent curriculum:random;;greedy | has a stage without an opponent
TRAIN --opponent curriculum:random;alphabeta:deep=1 | alphabeta has no parameter 'deep'
TRAIN --opponent mix:random | is not of the form WEIGHT AGENT
TRAIN --set regret=nobody | there is no agent 'nobody'
TRAIN --set games=100000000 | not enough memory: Unable to allocate
TRAIN --set steps=10minutes | a whole number is written as 3000, 3k, 3e3
TRAIN --set hours=3min | a number is written as 0.05
TRAIN --set learning_rat=1 | there is no setting 'learning_rat'; did you mean 'learning_rate'
TRAIN --set learning_rate | 'learning_rate' is not of the form NAME=VALUE
TRAIN --set learning_rate=fast | learning_rate=fast is not possible for ppo: learning_rate
TRAIN --set learning_rate=0 | learning_rate must be a number of at least 1e-12
TRAIN --set games=1.5 | games=1.5 is not possible for ppo: games must be a whole number
TRAIN --set games=0 | games must be a whole number of at least 1
TRAIN --set gamma=1.5 | gamma must be a number from 0 to 1
TRAIN --set symmetries=maybe | symmetries must be yes or no
TRAIN --set dense=12,x | dense=12,x is not possible; it lists units of layers
TRAIN --set dense=none --set layers=0 | layers=0 is not possible with dense=none
TRAIN --set games=4 --set rollout=4 --set batch_size=64 | games × rollout = 16 samples
TRAIN --set precision=int8 | precision must be one of auto, float32, bfloat16
train dqn hex --out r --set dense=none | dense=none is not possible: DQN needs dense layers
train dqn hex --out r --set memory=9 | is not possible with memory=9 transitions
train dqn hex --out r --set exploration=2 | exploration must be a number from 0 to 1
train alphazero hex --out r --set full_share=0 | full_share must be
train alphazero hex --out r --set trunk=cake | trunk
train alphazero hex --out r --set search=minimax | search
train alphazero dots_and_boxes --out r --set solved_plies=1 | there is no fast solver for it
train alphazero gomoku --out r --set solved_plies=1 | is beyond the solver
train alphazero connect_four --out r --set solved_plies=21 | it is at most 20
train alphazero connect_four:rows=8,cols=8 --out r --set solved_plies=1 | at most 64
train alphazero hex --out r --set predecessor=zoo:nothing | the zoo has no network 'nothing'
train alphazero hex --out r --set predecessor=zoo:gomoku | not hex
train alphazero hex --out r --set predecessor=none.onnx | there is no policy file or training run
train supervised connect_four | --data FILE --out FOLDER
train supervised tic_tac_toe --data no.npz --out r | there is no dataset no.npz
train alphazero tic_tac_toe --out r --runner ray | --runner ray needs --workers
train alphazero tic_tac_toe --out r --address 192.0.2.1:1 | --runner ray needs --workers

new game My-Nim | is not a valid name
new game class | is not a valid name
new game gomoku | a game 'gomoku' exists already
new agent greedy | an agent 'greedy' exists already
new learner ppo | a learner 'ppo' exists already
new engine my_engine | game

play tic_tac_toe --against nobody | there is no agent 'nobody'
play tic_tac_toe --seat 2 | invalid value "2" for --seat
watch tic_tac_toe human random | a person cannot play in a game that is watched
watch tic_tac_toe nobody random | there is no agent 'nobody'
watch tic_tac_toe random random --delay -1 | delay
watch tic_tac_toe random random --store no/such/folder/g.db | does not exist
replay nowhere.db | there is no store nowhere.db
import | import needs a file
import games.txt | games.txt: game files end in .psq, .sgf, .hsgf, .ggf or .wtb
import missing.sgf | missing.sgf cannot be read: No such file
import missing.sgf --rule renju | there is no rule 'renju'
pull s3://one/ttt --out a.onnx | no package fetches policies of 's3' (there are: hf)
push none.onnx hf://one/ttt | there is no policy file or training run 'none.onnx'
study | give the studies to run: dots_and_boxes, connect_four
study conect_four | there is no study 'conect_four'; did you mean 'connect_four'?
study tic_tac_toe caro10 --only D7 | no experiment of tic_tac_toe and caro10 answers a line 'D7'
study tic_tac_toe --concurrency 0 | --concurrency
study tic_tac_toe --seed -1 | --seed
TUNE | give settings to search, such as --set learning_rate=0.0001..0.01
TUNE --set learning_rate=0.1 | give settings to search
TUNE --set learning_rte=0.1..0.2 | there is no setting 'learning_rte'; did you mean
TUNE --set learning_rate=0.1..0.01 | 'learning_rate=0.1..0.01' is not of the form
TUNE --set learning_rate=0.1..0.2..0.3 | is not of the form NAME=LOW..HIGH
TUNE --set layers=1..300 | layers=300 is not possible for ppo: layers must be a whole number
TUNE --set clock=wall|sun | clock=sun is not possible for ppo: clock must be one of
TUNE --set evaluate=none --set layers=0..2 | a sweep needs scores: give opponents with --evaluate
"""
WORDS = {
    "FOUR": "tournament connect_four random greedy",
    "PAIR": "tournament tic_tac_toe random greedy",
    "TUNE": "tune ppo tic_tac_toe --out s --steps 8k --evaluate random",
    "TRAIN": "train ppo tic_tac_toe --out r",
    "LONG": "x" * 100_000,
    "MANY": "9" * 5000,
}
# Libraries without which a command says what to install, whatever else is wrong.
NEEDS = {"train": "sb3_contrib", "tune": "optuna", "push": "huggingface_hub"}
CASES = [line.rpartition(" | ")[::2] for line in TABLE.splitlines() if line]


@pytest.mark.parametrize(("line", "sentence"), CASES, ids=[line for line, _ in CASES])
def test_what_is_not_possible_is_refused_in_one_sentence(line, sentence):
    for name, text in WORDS.items():
        line = line.replace(name, text)
    words = line.split()
    if words[0] in NEEDS:
        pytest.importorskip(NEEDS[words[0]])
    assert sentence in refused(*words)
    assert list(Path().iterdir()) == []  # a mistyped command leaves nothing behind
