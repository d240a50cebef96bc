"""What the package exports; each name is loaded when it is first asked for."""

from .api import train as train
from .environments import make_env as make_env
from .environments import make_vector_env as make_vector_env
from .export import PolicyExporter as PolicyExporter
from .export import export_policy as export_policy
from .folder import TrainingError as TrainingError
from .run import Progress as Progress
from .run import TrainingRun as TrainingRun
from .sb3 import BoardVecEnv as BoardVecEnv
from .sb3_callbacks import LadderCallback as LadderCallback
from .sb3_callbacks import SelfPlayCallback as SelfPlayCallback
from .sb3_callbacks import set_opponent as set_opponent
from .settings import RunSettings as RunSettings
from .settings import setting as setting
