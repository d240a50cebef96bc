"""What the package exports; each name is loaded when it is first asked for."""

from .agent import Agent as Agent
from .bots import NotAPolicyError as NotAPolicyError
from .bots import as_policy as as_policy
from .decision import Decision as Decision
from .decision import Score as Score
from .faults import FaultWarning as FaultWarning
from .own.functions import register_heuristic as register_heuristic
from .own.functions import register_ordering as register_ordering
from .policies.policy import PolicyAgent as PolicyAgent
from .policies.policy import load_policy as load_policy
from .policies.prediction import Prediction as Prediction
from .registry import make_agent as make_agent
from .registry import register_agent as register_agent
from .registry import register_preset as register_preset
from .solvers.solution import Solution as Solution
from .solvers.solver import SolveInterrupted as SolveInterrupted
from .solvers.solver import solve as solve
