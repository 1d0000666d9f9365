"""Train a small causal transformer on a dataset of units, stop in the middle, and go on.

Needs torch: ``pip install "mintdim[torch]"``. Runs on one core of a CPU in about a minute. The
dataset is GSM8K from ``examples/data/``; it is built into a fresh numbered directory under
``artifacts/`` together with the checkpoint.

Nothing here is special to MintDim but four lines: ``open``, ``batches``, ``state_dict`` and
``load_state_dict``. A batch holds samples of one unit size, so there is little padding to pay for.
"""

import json
import math
import os
import time
from itertools import islice
from pathlib import Path

import torch
from torch import nn

import mintdim
from mintdim import pipeline
from mintdim.torch import to_tensors

ROOT = Path(__file__).resolve().parent.parent
DATA = "./examples/data/instruction/gsm8k_test.jsonl"
TOKENIZER = "./examples/data/tokenizers/instruct_hf.json"

SEED = 1
STEPS = 120
TOKENS_PER_BATCH = 2560  # slots: 20 samples of 128, 4 of 640
WIDTH = 96
HEADS = 4
LAYERS = 2
LEARNING_RATE = 3e-3


class Model(nn.Module):
    """Predicts every token from those before it."""

    def __init__(self, vocab_size, longest):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, WIDTH)
        self.places = nn.Embedding(longest, WIDTH)
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, ids):
        """Return logits [b, t, vocabulary] of ids [b, t].

        Padding stands on the right, behind all that is predicted: the causal mask hides it.
        """
        length = ids.shape[1]
        hidden = self.tokens(ids) + self.places(torch.arange(length))
        causal = nn.Transformer.generate_square_subsequent_mask(length)
        hidden = self.layers(hidden, mask=causal, is_causal=True)
        return self.norm(hidden) @ self.tokens.weight.T / math.sqrt(WIDTH)


class Run:
    """Model, optimizer and loader: all that a checkpoint holds."""

    def __init__(self, dataset):
        torch.manual_seed(SEED)
        self.loader = dataset.batches(tokens_per_batch=TOKENS_PER_BATCH, seed=SEED, group=2)
        self.model = Model(dataset.vocab_size, max(dataset.units))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=LEARNING_RATE)
        self.step = 0

    def train(self, steps):
        """Yield step, unit size and loss of the next ``steps`` batches."""
        for batch in islice(self._batches(), steps):
            batch = to_tensors(batch)
            logits = self.model(batch["input_ids"][:, :-1])
            # Labels are -100 on padding, which the loss leaves out.
            loss = nn.functional.cross_entropy(
                logits.flatten(0, 1), batch["labels"][:, 1:].flatten()
            )
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.step += 1
            yield self.step, batch["unit_size"], loss.item()

    def _batches(self):
        while True:  # one epoch after the other
            yield from self.loader

    def save(self, folder):
        """Write all that is needed to go on."""
        weights = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save(weights, f"{folder}/weights.pt")
        state = {"step": self.step, "loader": self.loader.state_dict()}
        Path(f"{folder}/state.json").write_text(json.dumps(state, indent=2))

    def load(self, folder):
        """Go on where ``save`` was called."""
        weights = torch.load(f"{folder}/weights.pt")
        self.model.load_state_dict(weights["model"])
        self.optimizer.load_state_dict(weights["optimizer"])
        state = json.loads(Path(f"{folder}/state.json").read_text())
        self.step = state["step"]
        self.loader.load_state_dict(state["loader"])


def build(folder):
    return (
        pipeline("unit-build")
        .source.jsonl(
            files=[DATA], fields=[["question", "answer"]], templates=["{question}\n\n{answer}"]
        )
        .tokenizer.hf_json({"path": TOKENIZER})
        .units(sizes=[[128, 192, 256, 320, 640]], build_batch=[512])
        .output.dir(f"{folder}/units", samples_per_shard=[500])
        .run()
    )


def fresh(name):
    """Return the first of ``artifacts/name_001``, ``_002``, … that does not exist."""
    numbers = (f"./artifacts/{name}_{number:03d}" for number in range(1, 10_000))
    return next(path for path in numbers if not Path(path).exists())


def log(run, steps):
    """Train, print the mean loss of every ten steps, and return the last one."""
    losses, started = [], time.perf_counter()
    for step, unit_size, loss in run.train(steps):
        losses.append(loss)
        if step % 10 == 0:
            mean, losses = sum(losses) / len(losses), []
            seconds = time.perf_counter() - started
            print(f"step {step:4}  unit {unit_size:3}  loss {mean:.3f}  {seconds:5.1f} s")
    return mean


def main():
    os.chdir(ROOT)
    folder = fresh("train_on_units")
    build(folder)
    dataset = mintdim.open(f"{folder}/units")
    first = Run(dataset)
    parameters = sum(weights.numel() for weights in first.model.parameters())
    print(dataset)
    print(f"{parameters:,} parameters, {len(first.loader)} batches in an epoch\n")
    log(first, STEPS // 2)
    first.save(folder)
    print(f"stopped after step {first.step}; everything is read again from {folder}")
    second = Run(mintdim.open(f"{folder}/units"))
    second.load(folder)
    print(f"loss of the last ten steps: {log(second, STEPS - second.step):.3f}")


if __name__ == "__main__":
    main()
