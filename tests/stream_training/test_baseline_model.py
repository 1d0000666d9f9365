"""The model and the schedule of examples/train_baseline.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from baseline import example, torch

# ------------------------------------------------------------------------------------------ model


def test_preset_s_has_the_tensors_of_the_contract() -> None:
    model = example.Model(example.ModelConfig(**example.PRESETS["S"], vocab_size=48_000))
    block = {
        "norm1.weight": (384,),
        "attn.qkv.weight": (1152, 384),
        "attn.proj.weight": (384, 384),
        "norm2.weight": (384,),
        "ffn.w_gate.weight": (1024, 384),
        "ffn.w_up.weight": (1024, 384),
        "ffn.w_down.weight": (384, 1024),
    }
    blocks = {f"blocks.{n}.{name}": shape for n in range(6) for name, shape in block.items()}
    expected = {
        "tok_emb.weight": (48_000, 384),
        **blocks,
        "norm_f.weight": (384,),
        "lm_head.weight": (48_000, 384),
    }
    found = {name: tuple(weights.shape) for name, weights in model.state_dict().items()}
    assert list(found.items()) == list(expected.items())
    assert model.lm_head.weight is model.tok_emb.weight
    assert round(sum(weights.numel() for weights in model.parameters()) / 1e6, 1) == 29.1


def small_model() -> Any:
    torch.manual_seed(0)
    model = example.Model(example.ModelConfig(**example.PRESETS["tiny"], vocab_size=50))
    for weights in model.parameters():  # larger than at the start, so that all parts matter
        if weights.dim() >= 2:
            weights.data *= 10
    return model.double()


def test_no_token_sees_what_comes_after_it() -> None:
    model, ids = small_model(), torch.arange(12)[None] * 7 % 50
    changed = ids.clone()
    changed[0, 8:] += 1
    before, after = model(ids)[0], model(changed)[0]
    assert torch.equal(before[:8], after[:8])
    assert not torch.allclose(before[8], after[8])


def test_the_model_equals_its_formulas_written_out() -> None:
    """Each norm, head and position by hand, one number at a time where it is readable."""
    model = small_model()
    ids = [3, 49, 3, 17, 0, 3]
    weights = {name: w.detach().numpy() for name, w in model.state_dict().items()}
    expected = logits_by_hand(weights, ids, heads=2, layers=2)
    found = model(torch.tensor([ids]))[0].detach().numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def logits_by_hand(weights: dict[str, Any], ids: list[int], heads: int, layers: int) -> Any:
    x = weights["tok_emb.weight"][ids]
    for number in range(layers):
        own = {
            name.removeprefix(f"blocks.{number}."): w
            for name, w in weights.items()
            if name.startswith(f"blocks.{number}.")
        }
        normal = norm_by_hand(x, own["norm1.weight"])
        q, k, v = np.split(normal @ own["attn.qkv.weight"].T, 3, axis=1)
        parts = zip(*(np.split(part, heads, axis=1) for part in (q, k, v)), strict=True)
        mixed = np.concatenate([attention_by_hand(*part) for part in parts], axis=1)
        x = x + mixed @ own["attn.proj.weight"].T
        normal = norm_by_hand(x, own["norm2.weight"])
        gate, up = normal @ own["ffn.w_gate.weight"].T, normal @ own["ffn.w_up.weight"].T
        x = x + (gate / (1 + np.exp(-gate)) * up) @ own["ffn.w_down.weight"].T
    return norm_by_hand(x, weights["norm_f.weight"]) @ weights["lm_head.weight"].T


def norm_by_hand(x: Any, weight: Any) -> Any:
    return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-5) * weight


def attention_by_hand(q: Any, k: Any, v: Any) -> Any:
    out = np.zeros_like(v)
    for at in range(len(q)):
        scores = np.array(
            [turned(q[at], at) @ turned(k[other], other) for other in range(at + 1)]
        ) / np.sqrt(q.shape[1])
        share = np.exp(scores - scores.max())
        out[at] = share / share.sum() @ v[: at + 1]
    return out


def turned(vector: Any, position: int) -> Any:
    """Rotate (i, i + half) as one complex number by position / 10000^(i / half)."""
    half = len(vector) // 2
    pairs = vector[:half] + 1j * vector[half:]
    pairs = pairs * np.exp(1j * position * 10000.0 ** (-np.arange(half) / half))
    return np.concatenate([pairs.real, pairs.imag])


# --------------------------------------------------------------------------------------- schedule


def rate(step: int, **changes: Any) -> float:
    chosen = {"lr": 0.0006, "min_lr_ratio": 0.1, "warmup": 500, "steps": 90_000, **changes}
    return float(example.learning_rate(step, SimpleNamespace(**chosen)))


def test_the_learning_rate_is_that_of_the_run_of_the_contract() -> None:
    assert rate(0) == 1.2e-06
    assert rate(89_999) == 6.000000016633646e-05


def test_the_learning_rate_rises_straight_and_falls_as_a_cosine() -> None:
    assert [rate(step, lr=1.0, warmup=4) for step in range(5)] == [0.25, 0.5, 0.75, 1.0, 1.0]
    middle = rate(50_250, lr=1.0, warmup=500, steps=100_000)
    assert middle == pytest.approx(0.1 + 0.9 * 0.5)
    falling = [rate(step) for step in range(500, 90_000, 500)]
    assert falling == sorted(falling, reverse=True)
    assert rate(0, warmup=0) == 0.0006
    assert rate(3, warmup=3, steps=3) == 0.0006  # never reached, and no division by zero
