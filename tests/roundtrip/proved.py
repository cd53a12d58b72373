"""Which sources a proof is about: the commit, and a digest that tells whether they are the same.

    python -m tests.roundtrip.proved

prints both for the sources as they are now, to be compared with docs/correctness.md.
"""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_CODE = (".py", ".java", ".sql", ".properties")


@dataclass(frozen=True)
class Proved:
    """The state of src/ at one moment; ``commit`` is None outside a git checkout."""

    commit: str | None
    is_changed: bool
    digest: str

    def __str__(self) -> str:
        if self.commit is None:
            return f"`src/` {self.digest}, no commit known"
        changed = ", with changes in `src/` that are not committed" if self.is_changed else ""
        return f"commit {self.commit}{changed}, `src/` {self.digest}"


def proved(root: Path = ROOT) -> Proved:
    """The sources of a checkout as they are now."""
    commit = _git(root, "rev-parse", "--short", "HEAD")
    changes = _git(root, "status", "--porcelain", "--", "src")
    return Proved(commit or None, bool(changes), digest_of(root, "src"))


def digest_of(root: Path, *folders: str) -> str:
    """A digest of the names and contents of all code in some folders."""
    found = hashlib.sha256()
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in _CODE:
                content = path.read_bytes()
                found.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode())
                found.update(content)
    return found.hexdigest()[:16]


def _git(root: Path, *words: str) -> str:
    """What git answers; nothing where there is no git, or no checkout."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


if __name__ == "__main__":
    print(proved())
