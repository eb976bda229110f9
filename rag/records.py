"""The nouns of rag/domain.py to plain JSON data and back, so that a stored answer is drawn by the same code as a fresh one."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any


def to_plain(value: Any) -> Any:
    """Dataclasses, tuples and mappings as dictionaries and lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_plain(item) for item in value]
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    return value.item() if hasattr(value, "item") else str(value)  # NumPy scalars of a trace


def from_plain(kind: Any, data: Any) -> Any:
    """The `kind` that `to_plain` made `data` of; fields that a later version added take their defaults."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = typing.get_type_hints(kind)
        return kind(**{name: from_plain(hints[name], data[name]) for name in hints if name in data})
    if origin is tuple:
        kinds = [arguments[0]] * len(data) if arguments[-1] is Ellipsis else arguments
        return tuple(from_plain(each, item) for each, item in zip(kinds, data, strict=True))
    if origin in (types.UnionType, typing.Union):
        return data if data is None else from_plain(arguments[0], data)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: from_plain(arguments[1], value) for key, value in data.items()}
    return data
