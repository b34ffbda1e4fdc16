"""The example of the README is the one in examples/, and it runs."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "efforts_of_a_pose.py"


def test_readme_shows_the_example_file():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```python\n(.*?)```", readme, re.DOTALL).group(1)
    code = EXAMPLE.read_text(encoding="utf-8").split('"""\n\n', 1)[1]
    assert shown == code


def test_example_prints_an_effort_for_each_actuator():
    run = subprocess.run(
        [sys.executable, str(EXAMPLE)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert len(run.stdout.splitlines()) == 21 + 2
