"""Flatten the self-instruct seed tasks into one plain JSON object per line.

Each task in ``self_instruct_seed_tasks.jsonl`` holds one instruction and a list of instances.
The result has one row per instance, in file order, with the string fields ``instruction``,
``input`` and ``output``. The same input always gives the same bytes.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent / "instruction"


def parse_args() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Flatten the self-instruct seed tasks.")
    parser.add_argument("--source", type=Path, default=HERE / "self_instruct_seed_tasks.jsonl")
    parser.add_argument("--target", type=Path, default=HERE / "self_instruct.jsonl")
    return parser.parse_args()


def flat_rows(source: Path) -> Iterator[dict[str, str]]:
    """Yield one row for every instance of every task in ``source``."""
    for line in source.read_bytes().split(b"\n"):
        if not line.strip():
            continue
        task = json.loads(line)
        for instance in task["instances"]:
            yield {
                "instruction": task["instruction"],
                "input": instance["input"],
                "output": instance["output"],
            }


def write_rows(rows: Iterator[dict[str, str]], target: Path) -> int:
    """Write ``rows`` as UTF-8 JSONL with bare line feeds; return how many there were."""
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    target.write_bytes("".join(lines).encode("utf-8"))
    return len(lines)


def main() -> None:
    """Run the conversion and say what was written."""
    args = parse_args()
    count = write_rows(flat_rows(args.source), args.target)
    print(f"{args.target.name}: {count} rows, {args.target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
