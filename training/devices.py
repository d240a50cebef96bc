"""Devices that networks are computed on, and their precision."""

from __future__ import annotations

from pathlib import Path

import torch


def choose_device(name: str) -> torch.device:
    """The device that ``auto``, ``cpu`` or ``cuda`` stands for."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def processor_has_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 numbers itself, faster than float32."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags


def use_bfloat16(precision: str, device: torch.device) -> bool:
    """Whether products are computed in bfloat16; ``auto``: where that is faster."""
    if precision == "auto":
        return device.type == "cuda" or processor_has_bfloat16()
    return precision == "bfloat16"
