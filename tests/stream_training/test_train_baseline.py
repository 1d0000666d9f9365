"""examples/train_baseline.py: what it writes, and that a stop in the middle changes nothing."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import shards_by_hand
import worlds
from baseline import example, torch

ROOT = Path(__file__).resolve().parents[2]
CTX = 16
STEPS = 20
ARGUMENTS = (
    "preset shards out steps batch grad_accum ctx lr min_lr_ratio warmup wd clip eval_every "
    "eval_tokens final_eval_tokens ckpt_every log_every device seed resume max_train_shards"
)


@pytest.fixture(autouse=True)
def _torch_as_it_was() -> Any:
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(False)


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shards_by_hand.write(tmp_path_factory.mktemp("stream") / "shards")


def options(shards: Path, out: Path, **changes: Any) -> list[str]:
    chosen = {
        "preset": "tiny",
        "shards": shards,
        "out": out,
        "ctx": CTX,
        "steps": STEPS,
        "batch": 4,
        "grad_accum": 2,
        "lr": 0.003,
        "warmup": 5,
        "eval_every": 10,
        "log_every": 3,
        "ckpt_every": 7,
        "device": "cpu",
        **changes,
    }
    return [f"--{name.replace('_', '-')}={value}" for name, value in chosen.items()]


@pytest.fixture(scope="module")
def whole(shards: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of twenty steps without a stop."""
    out = tmp_path_factory.mktemp("whole") / "run"
    assert example.main(options(shards, out)) == 0
    return out


def records(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]


def checkpoint(path: Path) -> dict[str, Any]:
    return dict(torch.load(path, weights_only=True))


def assert_equal(first: Any, second: Any) -> None:
    """Equal to the last bit, tensors included."""
    assert type(first) is type(second)
    if isinstance(first, dict):
        assert list(first) == list(second)
        for name in first:
            assert_equal(first[name], second[name])
    elif isinstance(first, list):
        for one, other in zip(first, second, strict=True):
            assert_equal(one, other)
    elif isinstance(first, torch.Tensor):
        assert torch.equal(first, second)
    else:
        assert first == second


# -------------------------------------------------------------------------------------- resuming


def timeless(record: dict[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in record if name not in ("tok_per_s", "elapsed_s")}


def test_ten_steps_and_ten_more_are_twenty_steps_bit_for_bit(
    shards: Path, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    assert example.main(options(shards, out, stop_after=10)) == 0
    assert not (out / "ckpt_final.pt").exists()
    assert checkpoint(out / "ckpt_last.pt")["step"] == 10
    assert example.main(options(shards, out, resume=out / "ckpt_last.pt")) == 0
    once, twice = (checkpoint(folder / "ckpt_final.pt") for folder in (whole, out))
    for part in ("model", "optimizer", "sampler", "step", "config", "dataset"):
        assert_equal(once[part], twice[part])
    assert list(map(timeless, records(out))) == list(map(timeless, records(whole)))


def test_two_equal_runs_are_equal(shards: Path, whole: Path, tmp_path: Path) -> None:
    assert example.main(options(shards, tmp_path / "run")) == 0
    again = checkpoint(tmp_path / "run" / "ckpt_final.pt")
    assert_equal(checkpoint(whole / "ckpt_final.pt")["model"], again["model"])


def test_a_crash_between_checkpoints_costs_the_steps_since_the_last_one_only(
    shards: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, train_step = tmp_path / "run", example.Run.train_step

    def crash(run: Any) -> Any:
        if run.step == 12:
            raise ZeroDivisionError
        return train_step(run)

    with monkeypatch.context() as patched:
        patched.setattr(example.Run, "train_step", crash)
        with pytest.raises(ZeroDivisionError):
            example.main(options(shards, out))
    assert example.main(options(shards, out, resume=out / "ckpt_last.pt")) == 0
    once, again = (checkpoint(folder / "ckpt_final.pt") for folder in (whole, out))
    assert_equal(once["model"], again["model"])
    found = [record["step"] for record in records(out) if "loss" in record]
    assert found == [1, 3, 6, 9, 12, 9, 12, 15, 18]  # appended, as the contract says
    second = json.loads((out / "runs.jsonl").read_text().splitlines()[1])
    assert (second["steps_done"], second["log_line"]) == (7, 7)


def test_every_start_is_kept_in_the_history(shards: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    example.main(options(shards, out, stop_after=10))
    example.main(options(shards, out, resume=out / "ckpt_last.pt"))
    starts = [json.loads(line) for line in (out / "runs.jsonl").read_text().splitlines()]
    assert [start["run"] for start in starts] == [1, 2]
    assert [start["steps_done"] for start in starts] == [0, 10]
    first_of_second = records(out)[starts[1]["log_line"] - 1]
    assert first_of_second["step"] == 12
    config = json.loads((out / "config.json").read_text())
    assert config["args"]["resume"] == starts[1]["args"]["resume"] == str(out / "ckpt_last.pt")
    assert starts[0]["args"]["resume"] == ""


def test_a_changed_dataset_is_refused_unless_told(
    shards: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = shards_by_hand.write(tmp_path / "other", ("train",))
    resumed = options(other, tmp_path / "run", resume=whole / "ckpt_last.pt")
    assert example.main(resumed) == 3
    assert "is not the dataset of the checkpoint" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    assert example.main([*resumed, "--new-data"]) == 0


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ctx": 8}, "another model"),
        ({"steps": 7}, "is at step 14, the end"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused(
    shards: Path,
    whole: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    expected: str,
) -> None:
    out = tmp_path / "run"
    assert example.main(options(shards, out, resume=whole / "ckpt_last.pt", **changes)) == 3
    assert expected in capsys.readouterr().err


def test_a_file_that_is_no_checkpoint_is_refused_in_words(
    shards: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    half = tmp_path / "half.pt"
    half.write_bytes((whole / "ckpt_last.pt").read_bytes()[:5000])
    for path in (whole / "log.jsonl", half, tmp_path / "absent.pt", tmp_path):
        assert example.main(options(shards, tmp_path / "run", resume=path)) == 3
        assert str(path) in capsys.readouterr().err


def test_changed_settings_are_named_when_a_run_goes_on(
    shards: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert example.main(options(shards, out, resume=whole / "ckpt_last.pt", lr=0.001)) == 0
    printed = capsys.readouterr().out
    assert "changed since the checkpoint: lr 0.003 -> 0.001" in printed


# ------------------------------------------------------------------------------------------ files


def test_the_log_has_both_kinds_of_record_when_they_are_due(whole: Path) -> None:
    found = records(whole)
    trained = [record for record in found if "loss" in record]
    evaluated = [record for record in found if "eval" in record]
    assert [record["step"] for record in trained] == [1, 3, 6, 9, 12, 15, 18]
    for record in trained:
        assert list(record) == ["step", "loss", "lr", "grad_norm", "tok_per_s", "elapsed_s"]
        assert round(record["loss"], 4) == record["loss"]
        assert round(record["grad_norm"], 3) == record["grad_norm"]
        assert {type(record["tok_per_s"]), type(record["elapsed_s"])} == {int}
    assert [(record["step"], record["eval"]) for record in evaluated] == [
        (10, "val"),
        (20, "val_full"),
    ]
    for record in evaluated:
        assert list(record) == ["step", "eval", "all", "en", "ja", "hi"]
        assert all(round(record[name], 2) == record[name] for name in ("all", "en", "ja", "hi"))
    assert found == sorted(found, key=lambda record: record["step"])


def test_it_learns(whole: Path) -> None:
    trained = [record["loss"] for record in records(whole) if "loss" in record]
    assert trained[0] == pytest.approx(math.log(shards_by_hand.VOCABULARY), abs=0.3)
    assert trained[-1] < 0.9 * trained[0]


def test_standard_output_is_kept_with_a_head_and_an_end(whole: Path) -> None:
    lines = (whole / "stdout.log").read_text().splitlines()
    assert lines[0].startswith("preset tiny: 0.1M params (0.1M non-embedding), ctx 16, device cpu")
    log = (whole / "log.jsonl").read_text().splitlines()
    assert lines[1 : 1 + len(log)] == log
    assert lines[-2].startswith("done: 20 steps, 0.00M tokens, ")
    assert lines[-1].startswith("sample: ")


def test_config_has_the_keys_of_the_contract_in_their_order(shards: Path, whole: Path) -> None:
    config = json.loads((whole / "config.json").read_text())
    assert list(config) == ["model", "args", "train_shards"]
    assert config["model"] == {
        "n_layer": 2,
        "d_model": 64,
        "n_head": 2,
        "ctx": CTX,
        "vocab_size": shards_by_hand.VOCABULARY,
        "rope_theta": 10000.0,
        "tie_embeddings": True,
    }
    assert " ".join(config["args"]) == ARGUMENTS
    assert config["args"]["shards"] == str(shards)
    assert config["train_shards"] == ["train_000.bin", "train_001.bin", "train_002.bin"]


def test_checkpoints_hold_plain_values_and_what_the_contract_names(whole: Path) -> None:
    assert sorted(path.name for path in whole.iterdir()) == sorted(
        ["config.json", "log.jsonl", "stdout.log", "runs.jsonl", "ckpt_last.pt", "ckpt_final.pt"]
    )
    last, final = (checkpoint(whole / f"ckpt_{name}.pt") for name in ("last", "final"))
    assert (last["step"], final["step"]) == (14, 20)
    for name in ("model", "optimizer", "sampler", "step", "config", "args"):
        assert name in final
    config = json.loads((whole / "config.json").read_text())
    assert final["config"] == config["model"]
    assert final["args"] == config["args"]
    rng = final["sampler"]["rng"]
    assert rng["bit_generator"] == "PCG64"
    assert list(rng["state"]) == ["state", "inc"]
    assert {"has_uint32", "uinteger"} <= set(rng)
    decayed, rest = final["optimizer"]["param_groups"]
    assert decayed["weight_decay"] == pytest.approx(0.1)
    assert rest["weight_decay"] == 0.0
    assert decayed["betas"] == rest["betas"] == (0.9, 0.95)
    assert len(rest["params"]) == 2 * 2 + 1  # the norms


def test_a_full_folder_is_not_written_into(
    shards: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        example.main(options(shards, whole))
    assert stopped.value.code == 2
    assert "is not empty" in capsys.readouterr().err


# ------------------------------------------------------------------------------------- evaluation


def documents_of_val() -> list[list[shards_by_hand.Document]]:
    made = shards_by_hand.documents()
    return [made["val_000"], made["val_001"]]


def perplexity_by_hand(model: Any) -> dict[str, float]:
    """Window after window, target after target, of one shard after the other."""
    sums: dict[str, list[float]] = {name: [] for name in ("all", *shards_by_hand.LANGUAGES)}
    for shard in documents_of_val():
        tokens = [(n, code) for ids, code in shard for n in [*ids, shards_by_hand.EOS]]
        for start in range(0, len(tokens) - CTX, CTX + 1):
            window = tokens[start : start + CTX + 1]
            logits = model(torch.tensor([[number for number, _ in window[:-1]]]))[0]
            chances = torch.log_softmax(logits.double(), dim=-1)
            for at, (number, code) in enumerate(window[1:]):
                nll = -float(chances[at, number])
                sums["all"].append(nll)
                sums[shards_by_hand.LANGUAGES[code]].append(nll)
    return {name: math.exp(math.fsum(found) / len(found)) for name, found in sums.items()}


def test_the_last_evaluation_is_that_of_every_target_one_by_one(shards: Path, whole: Path) -> None:
    model = example.Model(example.ModelConfig(**checkpoint(whole / "ckpt_final.pt")["config"]))
    model.load_state_dict(checkpoint(whole / "ckpt_final.pt")["model"])
    with torch.no_grad():
        expected = perplexity_by_hand(model)
    last = records(whole)[-1]
    assert {name: last[name] for name in expected} == pytest.approx(expected, abs=0.0051)


def test_evaluations_are_skipped_with_a_notice_where_there_is_no_val(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    only_train = shards_by_hand.write(tmp_path / "shards", ("train",))
    assert example.main(options(only_train, tmp_path / "run")) == 0
    assert "no val split" in capsys.readouterr().out
    assert not any("eval" in record for record in records(tmp_path / "run"))


# ----------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("changes", [{"ctx": 5000}, {"ctx": 450}])
def test_a_window_longer_than_a_shard_is_an_error_before_the_first_step(
    shards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any]
) -> None:
    assert example.main(options(shards, tmp_path / "run", **changes)) == 3
    assert capsys.readouterr().err.strip()
    assert not (tmp_path / "run").exists()


def test_a_folder_without_an_index_is_an_error_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert example.main(options(tmp_path, tmp_path / "run")) == 3
    assert str(tmp_path) in capsys.readouterr().err


def test_another_tokenizer_is_refused(
    shards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = ROOT / "examples" / "data" / "tokenizers" / "instruct_sp.model"
    assert example.main(options(shards, tmp_path / "run", tokenizer=other)) == 3
    assert str(other) in capsys.readouterr().err


def test_only_the_first_shards_are_used_when_asked(shards: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert example.main(options(shards, out, max_train_shards=2)) == 0
    config = json.loads((out / "config.json").read_text())
    assert config["train_shards"] == ["train_000.bin", "train_001.bin"]


def test_an_id_beyond_the_vocabulary_is_an_error_in_words(
    shards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert example.main(options(shards, tmp_path / "run", vocab_size=20)) == 3
    assert "a vocabulary of 20" in capsys.readouterr().err


def test_a_dataset_of_units_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"in.jsonl": worlds.jsonl({"text": "abc"}), "tok.model": worlds.spm()}
    worlds.write_files(tmp_path, files)
    assert worlds.run_job(tmp_path, **worlds.make_job()).outputs
    assert example.main(options(tmp_path / "out", tmp_path / "run")) == 3
    assert "holds units, not streams" in capsys.readouterr().err


def test_a_set_of_another_producer_is_trained_on_when_the_vocabulary_is_given(
    shards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = shards_by_hand.write(tmp_path / "other", languages=["en", "de", "fr"])
    index = json.loads((other / "shards_index.json").read_text())
    ours = ("tokenizer_sha256", "vocab_size", "eos_id", "lang_codes", "format_version")
    kept = {name: value for name, value in index.items() if name not in ours}
    (other / "shards_index.json").write_text(json.dumps(kept))
    assert example.main(options(other, tmp_path / "run")) == 3
    assert "give --vocab-size" in capsys.readouterr().err
    assert example.main(options(other, tmp_path / "run", vocab_size=40)) == 0
    assert list(records(tmp_path / "run")[-1]) == ["step", "eval", "all", "en", "de", "fr"]


def test_the_help_fits_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        example.main(["--help"])
    assert "--stop-after" in capsys.readouterr().out
