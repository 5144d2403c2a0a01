class Empty: pass


class Base(object if a else b, metaclass=m or n):
    """No methods, but decisions."""
    x = a or b
    if x:
        y = [1 for _ in x if _]


class Methods(Base):
    limit = 1 if Base else 2

    def __init__(self, a=1 or 2):
        self.a = a

    @property
    def value(self):
        return self.a or self.limit

    @staticmethod
    def made(a, b):
        if a and b:
            return 1
        return 2

    if limit:
        def sometimes(self):
            for x in self: pass
    try:
        async def other(self): return 1
    except NameError:
        pass

    class Inner:
        z = 1 or 2

        def method(self):
            return 1 if self else 2

        class Innermost:
            def method(self):
                return 1 and 2 and 3


def closures(a):
    def inner(b):
        def innermost(c):
            if c:
                return 1

        return innermost if b else a

    if a:
        @wraps(a)
        def inner(b):
            while b: pass
    with a:
        async def third():
            return [x async for x in a]
    return lambda: inner


class WithClosures:
    def method(self):
        def helper(x):
            return x or self

        if self:
            return helper

    def other(self):
        def helper(x): return x if x else 1
        return helper


def local_class(a):
    class Local:
        def forgotten(self):
            if a: pass
            def closure(): pass

    if a:
        return Local


class Decorated:
    @given(1 if Base else 2)
    @other(lambda: 1 or 2)
    def method(self):
        @wraps(self or Base)
        def inner():
            return 1 and 2

        @dataclass(frozen=self and inner)
        class Local:
            a: int = 1 if self else 2

        return inner
