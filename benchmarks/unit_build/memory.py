"""Peak memory of a build, case by case, each as its own process.

    python benchmarks/unit_build/memory.py                 # every case
    python benchmarks/unit_build/memory.py short-1m bomb-gz

Inputs are made from a seed in a temporary folder and removed again. Peak memory is what the
kernel counted for the process of the build (VmHWM).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import inputs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(inputs.CASES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300.0, help="MB that a case may take")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    unknown = set(arguments.cases) - set(inputs.CASES)
    if unknown:
        parser.error(f"unknown case: {', '.join(sorted(unknown))}")
    if arguments.child:
        build(arguments.child)
        return
    print(f"{'case':<24}{'peak MB':>9}{'CPU s':>9}{'wall s':>9}{'samples':>12}")
    peaks = [report(name, arguments.seed) for name in arguments.cases or inputs.CASES]
    sys.exit(max(peaks) > arguments.limit)


def report(name: str, seed: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        job = inputs.make(name, root, seed)
        (root / "job.json").write_text(json.dumps(job))
        facts = measured(root)
    row = f"{facts['mb']:>9.1f}{facts['cpu']:>9.1f}{facts['wall']:>9.1f}{facts['samples']:>12,}"
    print(f"{name:<24}{row}", flush=True)
    return float(facts["mb"])


def measured(root: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", str(root)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def build(root: Path) -> None:
    """Run the job of ``root`` in this process and print what it took."""
    job = json.loads((root / "job.json").read_text())
    if job["handles"]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (job["handles"], job["handles"]))
    started = time.monotonic()
    samples = inputs.run(job, root).outputs[0].total_samples
    wall = time.monotonic() - started
    facts = {"mb": peak_mb(), "cpu": time.process_time(), "wall": wall, "samples": samples}
    print(json.dumps(facts))


def peak_mb() -> float:
    """Return the peak of this process alone; ``ru_maxrss`` would include that of its parent."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except OSError:
        unit = 1024 * 1024 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main()
