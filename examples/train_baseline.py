"""Train a small language model on token shards: decoder-only, from scratch, in one file.

Needs torch (``pip install "mintdim[train]"``) and a folder that ``pipeline("stream-build")`` made;
``examples/stream_build.py`` makes a small one. Then, on one core of a CPU in about a minute:

    python examples/train_baseline.py --preset tiny --shards artifacts/stream_001 \\
        --out artifacts/tiny --steps 200 --lr 3e-3 --warmup 20 --eval-every 100 \\
        --tokenizer examples/data/stream/stream_sp.model

What it writes into --out:

    config.json     model, args, train_shards: all that is needed to run it again
    log.jsonl       {"step", "loss", "lr", "grad_norm", "tok_per_s", "elapsed_s"} and
                    {"step", "eval", "all", one perplexity per language}
    ckpt_last.pt    every --ckpt-every steps, to go on from:  --resume runs/a/ckpt_last.pt
    ckpt_final.pt   at the end
    stdout.log      what was printed
    runs.jsonl      one line per start: its settings, and where its lines begin in log.jsonl

On a CPU, a run that was stopped and resumed ends with the same weights, bit for bit, as one that
was not, and two equal runs are equal.
"""

import argparse
import json
import math
import os
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import mintdim
from mintdim.datasets.stream_dataset import StreamDataset


@dataclass(frozen=True)
class ModelConfig:
    """What makes the model; written into config.json and every checkpoint."""

    n_layer: int
    d_model: int
    n_head: int
    ctx: int  # tokens the model sees at once
    vocab_size: int
    rope_theta: float = 10000.0
    tie_embeddings: bool = True

    @property
    def ffn_hidden(self):
        """8/3 of the width, as SwiGLU has three matrices instead of two; a multiple of 64."""
        return -(-8 * self.d_model // (3 * 64)) * 64


PRESETS = {
    "S": {"n_layer": 6, "d_model": 384, "n_head": 6, "ctx": 1024},
    "tiny": {"n_layer": 2, "d_model": 64, "n_head": 2, "ctx": 64},
}


# ------------------------------------------------------------------------------------- the model


def rotation(config, length, device):
    """Return cosine and sine [length, head width] of the angles of rotary position embedding."""
    half = config.d_model // config.n_head // 2
    speeds = config.rope_theta ** (-torch.arange(half, device=device) / half)
    angles = torch.outer(torch.arange(length, device=device), speeds).repeat(1, 2)
    return angles.cos(), angles.sin()


def rotate(x, cos, sin):
    """Turn channel i together with channel i + half of x [b, head, t, width] by its position."""
    first, second = x.chunk(2, dim=-1)
    return (x * cos + torch.cat((-second, first), dim=-1) * sin).type_as(x)


class Attention(nn.Module):
    """Every token looks at itself and at those before it."""

    def __init__(self, config):
        super().__init__()
        self.heads = config.n_head
        self.qkv = nn.Linear(config.d_model, 3 * config.d_model, bias=False)
        self.proj = nn.Linear(config.d_model, config.d_model, bias=False)

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        mixed = functional.scaled_dot_product_attention(
            rotate(q, cos, sin), rotate(k, cos, sin), v, is_causal=True
        )
        return self.proj(mixed.transpose(1, 2).reshape(batch, length, width))


class FeedForward(nn.Module):
    """SwiGLU: a gate decides how much of each hidden channel passes."""

    def __init__(self, config):
        super().__init__()
        self.w_gate = nn.Linear(config.d_model, config.ffn_hidden, bias=False)
        self.w_up = nn.Linear(config.d_model, config.ffn_hidden, bias=False)
        self.w_down = nn.Linear(config.ffn_hidden, config.d_model, bias=False)

    def forward(self, x):
        return self.w_down(functional.silu(self.w_gate(x)) * self.w_up(x))


class Block(nn.Module):
    """Attention and feed-forward, each on the normalised stream and added to it."""

    def __init__(self, config):
        super().__init__()
        self.norm1 = nn.RMSNorm(config.d_model, eps=1e-5)
        self.attn = Attention(config)
        self.norm2 = nn.RMSNorm(config.d_model, eps=1e-5)
        self.ffn = FeedForward(config)

    def forward(self, x, cos, sin):
        x = x + self.attn(self.norm1(x), cos, sin)
        return x + self.ffn(self.norm2(x))


class Model(nn.Module):
    """Predicts every token from those before it."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.tok_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.norm_f = nn.RMSNorm(config.d_model, eps=1e-5)
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        for name, weights in self.named_parameters():
            if weights.dim() >= 2:
                # What each layer adds to the stream is kept small, so that their sum is not large.
                last = name.endswith(("proj.weight", "w_down.weight"))
                nn.init.normal_(weights, std=0.02 / math.sqrt(2 * config.n_layer) ** last)
        if config.tie_embeddings:
            self.lm_head.weight = self.tok_emb.weight

    def forward(self, ids):
        """Return logits [b, t, vocabulary] of ids [b, t]."""
        cos, sin = rotation(self.config, ids.shape[1], ids.device)
        x = self.tok_emb(ids)
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.lm_head(self.norm_f(x))


# ---------------------------------------------------------------------------------- the schedule


def learning_rate(step, args):
    """Return the rate of step 0, 1, …: a straight rise, then a cosine down to the smallest."""
    if step < args.warmup:
        return args.lr * (step + 1) / args.warmup
    progress = (step - args.warmup) / max(1, args.steps - args.warmup)
    share = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
    return args.lr * (args.min_lr_ratio + (1 - args.min_lr_ratio) * share)


def make_optimizer(model, args):
    """Return AdamW that decays matrices, and leaves the weights of the norms alone."""
    weights = list(model.parameters())
    groups = [
        {"params": [w for w in weights if w.dim() >= 2], "weight_decay": args.wd},
        {"params": [w for w in weights if w.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=args.lr, betas=(0.9, 0.95))


# ----------------------------------------------------------------------------------------- a run


class StopError(Exception):
    """The run cannot start or go on; the text says why, and what to do."""


class Run:
    """Data, model, optimizer, sampler and step: what a checkpoint holds, and one step of it."""

    def __init__(self, args):
        self.args = args
        self.device = torch.device(pick_device(args.device))
        # Equal runs are to be equal. On a GPU that would cost much, and is not promised.
        torch.use_deterministic_algorithms(self.device.type == "cpu")
        self.data = first_shards(mintdim.open(args.shards), args.max_train_shards)
        self.config = model_config(self.data, args)
        torch.manual_seed(args.seed)
        self.model = Model(self.config).to(self.device)
        self.optimizer = make_optimizer(self.model, args)
        self.sampler = self.data.sampler(self.config.ctx, args.seed)
        self.step = 0  # steps done
        self.changed = []  # settings that are not those of the checkpoint

    def train_step(self):
        """Do one step; return loss, learning rate and the norm of the gradient as it was."""
        rate = learning_rate(self.step, self.args)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss = sum(self.add_gradient() for _ in range(self.args.grad_accum))
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip).item()
        if not math.isfinite(loss + norm):
            found = f"loss {loss}, gradient norm {norm}"
            raise StopError(f"Step {self.step + 1} has {found}. A smaller --lr may help.")
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        return loss, rate, norm

    def add_gradient(self):
        """Add the gradient of one batch; return its share of the loss."""
        loss = self.losses(self.sampler.draw(self.args.batch)).mean() / self.args.grad_accum
        loss.backward()
        return loss.item()

    def losses(self, windows):
        """Return the negative log-likelihood [n, ctx] of each target in windows [n, ctx + 1]."""
        if (largest := int(windows.max())) >= self.config.vocab_size:
            raise StopError(
                f"{self.args.shards} has the id {largest}, and a vocabulary of "
                f"{self.config.vocab_size}. Run mintdim verify --full, or see --vocab-size."
            )
        ids = torch.from_numpy(windows).to(self.device)
        # On a GPU in bfloat16; weights and losses stay in float32.
        with torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda"):
            logits = self.model(ids[:, :-1])
        flat, targets = logits.float().flatten(0, 1), ids[:, 1:]
        losses = functional.cross_entropy(flat, targets.flatten(), reduction="none")
        return losses.view(targets.shape)


def pick_device(name):
    """Return ``cpu`` or ``cuda``; auto takes a GPU if there is one."""
    if name == "cuda" and not torch.cuda.is_available():
        raise StopError("--device cuda: there is no GPU that torch can use.")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


def first_shards(data, most):
    """Return the dataset with no more than ``most`` shards of train; 0: with all of them."""
    if not isinstance(data, StreamDataset):
        raise StopError(f"{data.path} holds units, not streams: it is for train_on_units.py.")
    kept = data.shards("train")[: most or None]
    others = [shard for shard in data.index.shards if shard.split != "train"]
    return StreamDataset(data.path, replace(data.index, shards=(*kept, *others)))


def model_config(data, args):
    """Return the preset with --ctx, and with the vocabulary of the data."""
    vocab_size = args.vocab_size or data.vocab_size
    if not vocab_size:  # in sets of other producers
        raise StopError(f"{args.shards} does not say its vocabulary size: give --vocab-size.")
    preset = PRESETS[args.preset]
    return ModelConfig(**{**preset, "ctx": args.ctx or preset["ctx"], "vocab_size": vocab_size})


# ------------------------------------------------------------------------------------ evaluation


def windows_of_val(run, max_tokens):
    """Return the windows to evaluate on; None where there is no val split."""
    if "val" not in run.data.splits:
        return None
    return run.data.evaluation_windows("val", run.config.ctx, max_tokens)


@torch.no_grad()
def perplexities(run, windows):
    """Return the perplexity of all targets of val, and of those of each language."""
    losses, languages = [], []
    for tokens, codes in windows.batches(run.args.batch):
        losses.append(run.losses(tokens).cpu().numpy())
        languages.append(codes)
    known = None if languages[0] is None else np.concatenate(languages)
    found = mintdim.perplexity_by_language(np.concatenate(losses), known, run.data.lang_codes)
    return {name: row["ppl"] for name, row in found.items()}


@torch.no_grad()
def sample(run, most=64):
    """Return the ids of one text, drawn from the model; it begins as every document does.

    A document follows the EOS of the one before, so EOS is what the model has seen in front of it.
    """
    ids = [run.data.eos_id]
    generator = torch.Generator().manual_seed(run.args.seed)
    while len(ids) <= most:
        window = torch.tensor([ids[-run.config.ctx :]], device=run.device)
        chances = torch.softmax(run.model(window)[0, -1].float().cpu() / 0.8, dim=-1)
        ids.append(int(torch.multinomial(chances, 1, generator=generator)))
        if ids[-1] == run.data.eos_id:
            break
    return [number for number in ids if number != run.data.eos_id]


# ----------------------------------------------------------------------------------- checkpoints


def save(run, name):
    """Write all that is needed to go on; the file appears whole or not at all."""
    checkpoint = {
        "model": run.model.state_dict(),
        "optimizer": run.optimizer.state_dict(),
        "sampler": run.sampler.state_dict(),
        "step": run.step,
        "config": asdict(run.config),
        "args": settings(run.args),
        "dataset": run.data.fingerprint,
    }
    folder = Path(run.args.out)
    with open(folder / f".{name}.part", "wb") as file:
        torch.save(checkpoint, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(folder / f".{name}.part", folder / name)


def resume(run, path):
    """Go on where ``save`` was called."""
    try:
        # Reads plain values and tensors only: a checkpoint from elsewhere cannot run code.
        found = torch.load(path, map_location="cpu", weights_only=True)
        require_same(run, found)
        run.model.load_state_dict(found["model"])
        run.optimizer.load_state_dict(found["optimizer"])
        # The generator alone fits any shards; the rest of the state says which ones they were.
        state = found["sampler"]
        run.sampler.load_state_dict({"rng": state["rng"]} if run.args.new_data else state)
        run.step = found["step"]
        run.changed = changed_settings(found["args"], settings(run.args))
    except OSError as error:
        raise StopError(f"{path} cannot be read: {error.strerror}.") from error
    except (StopError, mintdim.MintDimError):
        raise
    except Exception as error:  # there is no telling what a foreign file leads to
        raise StopError(f"{path} is no whole checkpoint of this program.") from error
    if run.step >= run.args.steps:
        raise StopError(f"{path} is at step {run.step}, the end. To go on, give more --steps.")


def require_same(run, found):
    """Refuse to go on with another model or, unless told, with other data."""
    if found["config"] != asdict(run.config):
        raise StopError(f"The checkpoint has another model: {found['config']}, not {run.config}.")
    if found.get("dataset") != run.data.fingerprint and not run.args.new_data:
        raise StopError(
            f"{run.args.shards} is not the dataset of the checkpoint: other shards, or others in "
            "number. Give those of the first run, or --new-data to go on with these."
        )


def changed_settings(before, now):
    """Return, in words, the settings that may make this run differ from one that never stopped."""
    same_run = ("shards", "out", "device", "resume")
    names = [name for name in now if name not in same_run and now[name] != before[name]]
    return [f"{name} {before[name]} -> {now[name]}" for name in names]


# --------------------------------------------------------------------------------- what is logged


class Log:
    """What is printed, and kept in files; times are those of this start."""

    def __init__(self, run):
        self.folder = Path(run.args.out)
        self.started, self.first_step = time.perf_counter(), run.step

    def elapsed(self):
        return time.perf_counter() - self.started

    def say(self, text, *more_files):
        """Print a line, and add it to files."""
        print(text, flush=True)
        for name in ("stdout.log", *more_files):
            append(self.folder / name, text)

    def step(self, run, loss, rate, norm):
        """Write the record of one training step."""
        tokens = (run.step - self.first_step) * tokens_per_step(run)
        record = {
            "step": run.step,
            "loss": round(loss, 4),
            "lr": rate,
            "grad_norm": round(norm, 3),
            "tok_per_s": int(tokens / self.elapsed()),
            "elapsed_s": int(self.elapsed()),
        }
        self.say(json.dumps(record), "log.jsonl")

    def evaluation(self, run, name, windows):
        """Evaluate, and write the record."""
        found = {key: round(ppl, 2) for key, ppl in perplexities(run, windows).items()}
        self.say(json.dumps({"step": run.step, "eval": name, **found}), "log.jsonl")


def append(path, line):
    with open(path, "a", encoding="utf-8") as file:
        file.write(line + "\n")


def lines_of(path):
    """Return the number of lines of a file that may not be there."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def write_settings(run):
    """Write config.json, anew at every start, and add it to the history in runs.jsonl."""
    folder = Path(run.args.out)
    folder.mkdir(parents=True, exist_ok=True)
    names = [shard.name for shard in run.sampler.shards]
    config = {"model": asdict(run.config), "args": settings(run.args), "train_shards": names}
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    start = {
        "run": lines_of(folder / "runs.jsonl") + 1,
        "steps_done": run.step,
        "log_line": lines_of(folder / "log.jsonl") + 1,
        "dataset": run.data.fingerprint,
        "torch": torch.__version__,
        "threads": run.args.threads,
    }
    append(folder / "runs.jsonl", json.dumps({**start, **config}))


def tokens_per_step(run):
    return run.args.batch * run.args.grad_accum * run.config.ctx


# -------------------------------------------------------------------------------------- the loop


def train(args):
    """Train from the start or from a checkpoint, and write all that the head of this file lists."""
    run = Run(args)
    val = windows_of_val(run, args.eval_tokens)
    if args.tokenizer:
        run.data.encoder(args.tokenizer)  # a wrong one is an error now, not at the end
    if args.resume:
        resume(run, args.resume)
    write_settings(run)
    log = Log(run)
    log.say(heading(run))
    if run.changed:
        log.say(f"changed since the checkpoint: {', '.join(run.changed)}")
    if val is None:
        log.say(f"{args.shards} has no val split: nothing is evaluated")
    until = min(args.steps, run.step + args.stop_after) if args.stop_after else args.steps
    while run.step < until:
        found = run.train_step()
        if run.step == 1 or run.step % args.log_every == 0:
            log.step(run, *found)
        if val and run.step % args.eval_every == 0 and run.step < args.steps:
            log.evaluation(run, "val", val)
        if run.step % args.ckpt_every == 0:
            save(run, "ckpt_last.pt")
    finish(run, log)


def finish(run, log):
    """Write what stands at the end, or what is needed to go on if it is not reached."""
    if run.step < run.args.steps:
        save(run, "ckpt_last.pt")
        log.say(f"stopped after step {run.step}; go on with --resume {run.args.out}/ckpt_last.pt")
        return
    if val := windows_of_val(run, run.args.final_eval_tokens):
        log.evaluation(run, "val_full", val)
    save(run, "ckpt_final.pt")
    tokens = run.step * tokens_per_step(run) / 1e6
    log.say(f"done: {run.step} steps, {tokens:.2f}M tokens, {log.elapsed():.0f}s")
    ids = sample(run)
    log.say(f"sample: {run.data.decode(ids, run.args.tokenizer) if run.args.tokenizer else ids}")


def heading(run):
    every = sum(weights.numel() for weights in run.model.parameters())
    rest = every - run.model.tok_emb.weight.numel()
    return (
        f"preset {run.args.preset}: {every / 1e6:.1f}M params ({rest / 1e6:.1f}M non-embedding), "
        f"ctx {run.config.ctx}, device {run.device}"
    )


# ---------------------------------------------------------------------------------- command line


def number(add, name, default, text, smallest=0):
    """Add an option for a number not below ``smallest``, of the type of its default."""
    kind = type(default)

    def parse(given):
        if not (found := kind(given)) >= smallest:
            raise argparse.ArgumentTypeError(f"{given} is below {smallest}")
        return found

    parse.__name__ = kind.__name__  # for what argparse says of other texts
    add(f"--{name}", type=parse, default=default, metavar="N", help=f"{text} ({default})")


def parser():
    """Return the command line; the options of ``settings`` stand first, in its order."""
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = made.add_argument
    add("--preset", choices=PRESETS, default="S", help="S: 6 layers of 384; tiny: 2 of 64 (S)")
    add("--shards", required=True, metavar="DIR", help="the dataset, with its shards_index.json")
    add("--out", required=True, metavar="DIR", help="for what is written; new, but on a resume")
    number(add, "steps", 90_000, "the schedule ends here", 1)
    number(add, "batch", 32, "windows per forward pass", 1)
    number(add, "grad-accum", 1, "batches per step", 1)
    number(add, "ctx", 0, "tokens per window; 0: as many as the preset says")
    number(add, "lr", 6e-4, "highest learning rate")
    number(add, "min-lr-ratio", 0.1, "the last learning rate, as a part of the highest")
    number(add, "warmup", 500, "steps of rising learning rate")
    number(add, "wd", 0.1, "weight decay of matrices")
    number(add, "clip", 1.0, "the longest gradient that is not shortened")
    number(add, "eval-every", 500, "steps between evaluations", 1)
    number(add, "eval-tokens", 1_000_000, "of val, at even distances; 0: all")
    number(add, "final-eval-tokens", 0, "the same at the end")
    number(add, "ckpt-every", 1_000, "steps between checkpoints", 1)
    number(add, "log-every", 10, "steps between lines of the log", 1)
    add("--device", choices=("auto", "cpu", "cuda"), default="auto", help="auto: a GPU if any")
    number(add, "seed", 20260929, "of the first weights and of the windows")
    add("--resume", default="", metavar="CKPT", help="go on from a checkpoint")
    number(add, "max-train-shards", 0, "use the first N shards of train; 0: all")
    more = made.add_argument_group("not kept in config.json").add_argument
    more("--tokenizer", default="", metavar="FILE", help="that of the shards, to read the sample")
    number(more, "stop-after", 0, "stop after N steps of this start, with a checkpoint; 0: never")
    more("--new-data", action="store_true", help="resume although the dataset is another one")
    number(more, "threads", 1, "of the CPU; results depend on it in their last digits", 1)
    number(more, "vocab-size", 0, "for an index that does not say it")
    return made


def settings(args):
    """Return the options that config.json and checkpoints hold."""
    ours = {"tokenizer", "stop_after", "new_data", "threads", "vocab_size"}
    return {name: value for name, value in vars(args).items() if name not in ours}


def main(arguments=None):
    """Train; return the exit code: 0 fine, 2 wrong usage, 3 failed."""
    made = parser()
    args = made.parse_args(arguments)
    if not args.resume and os.path.isdir(args.out) and os.listdir(args.out):
        made.error(f"--out {args.out} is not empty; give a new folder, or --resume")
    torch.set_num_threads(args.threads)
    try:
        train(args)
    except (StopError, mintdim.MintDimError) as error:
        print(error, file=sys.stderr)
        return 3
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 3
    except torch.cuda.OutOfMemoryError:
        print("The GPU has too little memory: halve --batch, double --grad-accum", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print(f"Stopped. Go on with --resume {args.out}/ckpt_last.pt, if there is one")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
