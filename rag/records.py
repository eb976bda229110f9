"""The nouns of rag/domain.py to plain JSON data and back, so that a stored answer is drawn by the same code as a fresh one."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any

MISSING = object()


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


class Unreadable(ValueError):
    """Data that another version wrote and that can't be made into the noun any more."""


def from_plain(kind: Any, data: Any) -> Any:
    """The `kind` that `to_plain` made `data` of, also by an earlier or later version.

    Fields that were added since take their defaults; items of a list that can't be read are left out. Raises Unreadable
    where what is left is no `kind`.
    """
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return read_record(kind, data)
    if origin is tuple and arguments[-1] is Ellipsis:
        if not isinstance(data, list):
            raise Unreadable(f"a list was expected, not {data!r:.60}")
        return tuple(item for each in data if (item := readable(arguments[0], each)) is not MISSING)
    if origin is tuple:
        return tuple(from_plain(each, item) for each, item in zip(arguments, data, strict=True))
    if origin in (types.UnionType, typing.Union):
        return data if data is None else from_plain(arguments[0], data)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(data, dict):
            raise Unreadable(f"a dictionary was expected, not {data!r:.60}")
        return {key: from_plain(arguments[1], value) for key, value in data.items()}
    if kind is str and not isinstance(data, str):
        raise Unreadable(f"a text was expected, not {data!r:.60}")
    return data


def read_record(kind: type, data: Any) -> Any:
    if not isinstance(data, dict):
        raise Unreadable(f"{kind.__name__} was expected, not {data!r:.60}")
    hints = typing.get_type_hints(kind)
    values = {name: from_plain(hints[name], data[name]) for name in hints if name in data}
    try:
        return kind(**values)
    except TypeError as error:  # a field that has no default is missing
        raise Unreadable(f"{kind.__name__}: {error}") from error


def readable(kind: Any, data: Any) -> Any:
    """The item, or MISSING where it is of another format."""
    try:
        return from_plain(kind, data)
    except ValueError:
        return MISSING
