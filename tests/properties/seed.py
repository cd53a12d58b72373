"""The seed of this run: another one every time, or the one that is asked for."""

from __future__ import annotations

import os
import time

SEED = int(os.environ.get("ROLLVIEW_SEED") or time.time())
