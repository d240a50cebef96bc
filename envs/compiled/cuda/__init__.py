"""Kernels on a GPU: all that knows CUDA; knows no game.

A kernel that plays one game is lowered for CUDA by numba-cuda as it stands, and each thread runs it
with its own number. The extra ``gpu`` installs what that needs.
"""
