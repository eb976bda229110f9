"""Results by everything they depend on in, the same results back until too many newer ones were asked for."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LeastRecentlyUsed(Generic[Value]):
    """A dictionary that forgets what was not asked for longest; safe to use from several threads."""

    def __init__(self, *, holds: int) -> None:
        self.holds = holds
        self.items: OrderedDict[Hashable, Value] = OrderedDict()
        self.lock = threading.Lock()

    def get(self, key: Hashable) -> Value | None:
        with self.lock:
            if key in self.items:
                self.items.move_to_end(key)
            return self.items.get(key)

    def put(self, key: Hashable, value: Value) -> None:
        with self.lock:
            self.items[key] = value
            self.items.move_to_end(key)
            while len(self.items) > self.holds:
                self.items.popitem(last=False)

    def clear(self) -> None:
        with self.lock:
            self.items.clear()


@dataclass(frozen=True)
class Cache:
    """What a retriever remembers.

    A result's key holds the index generation and the glossary, so that a deleted or changed document or term never comes
    out of it; an embedding's key holds the model, and no document is in it.
    """

    embeddings: LeastRecentlyUsed = field(default_factory=lambda: LeastRecentlyUsed(holds=2000))
    results: LeastRecentlyUsed = field(default_factory=lambda: LeastRecentlyUsed(holds=500))
