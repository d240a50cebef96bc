"""Learned policies as agents: policy files, ONNX networks, SB3 models."""
