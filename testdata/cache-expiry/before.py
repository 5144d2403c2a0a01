"""A small in-memory cache."""

import time


class Cache:
    def __init__(self, clock=time.time):
        self._clock = clock
        self._items = {}

    def put(self, key, value):
        """Store a value."""
        self._items[key] = value

    def get(self, key):
        """Return the value of a key, or None."""
        if key in self._items:
            return self._items[key]
        return None

    def size(self):
        return len(self._items)
