"""Training by deep Q-learning with action masks (DQN of stable-baselines3)."""
