"""Sweeps over the settings of training runs, by Optuna."""
