"""Files that a Delta log names: where they lie, and whether they are still there."""

from __future__ import annotations

import base64
import uuid
from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import unquote, urlparse

from pyspark.sql import SparkSession

from rollview.storage.delta_log import Action
from rollview.storage.files import files_at

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_RFC1924 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_UUID_LENGTH = 20


def all_there(spark: SparkSession, location: str, named: Iterable[Action]) -> bool:
    """Whether these files, and those of their deletion vectors, exist: a listing per folder."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for file in named:
        for place in _places(location.rstrip("/"), file):
            folder, _, name = place.rpartition("/")
            wanted[folder].add(name)
    for folder, names in wanted.items():
        files, spelled = files_at(spark, folder)
        if not names <= set(files.names(spelled)):
            return False
    return True


def is_described(file: Action, partitioned: bool) -> bool:
    """Whether the log says enough of a file to read it; old writers said little of removed ones."""
    return bool(file.get("size")) and (not partitioned or file.get("partitionValues") is not None)


def _places(location: str, file: Action) -> Iterable[str]:
    path = unquote(file["path"])
    yield path if urlparse(file["path"]).scheme or path.startswith("/") else f"{location}/{path}"
    vector = file.get("deletionVector") or {}
    match vector.get("storageType"):
        case "u":
            yield f"{location}/{_vector_file(vector['pathOrInlineDv'])}"
        case "p":
            yield unquote(vector["pathOrInlineDv"])


def _vector_file(encoded: str) -> str:
    """The file of a deletion vector: a folder, maybe, then a UUID in Z85 (Delta's protocol)."""
    prefix, name = encoded[:-_UUID_LENGTH], encoded[-_UUID_LENGTH:]
    known = base64.b85decode(name.translate(str.maketrans(_Z85, _RFC1924)))
    file = f"deletion_vector_{uuid.UUID(bytes=known)}.bin"
    return f"{prefix}/{file}" if prefix else file
