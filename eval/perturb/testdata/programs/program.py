import asyncio
import contextlib

total = 10


class Odd(object):
    def __add__(self, other):
        print("add", other)
        return self

    def __bool__(self):
        print("asked")
        return False


def branches(n):
    """Say which."""
    if n > 2 and not n == 7:
        label = "big"
    else:
        label = """small
  and more"""
    if Odd():
        return "true"
    else:
        print("false")
    for i in range(n):
        if i % 2:
            continue
        else:
            label += str(i)
    if n < 0:
        label = "negative"
    elif n == 0:
        label = "zero"
    else:
        label = label.upper()
    return label


def declared(n):
    if n:
        global total
        total = n
    else:
        total = -1
    return total


def swapped(first):
    before = Odd() + 1
    after = 0
    width = first
    height = 3
    depth = width
    area = width * height
    print(before, after) if after else print(area)
    return area + depth


def generator(limit):
    # counts
    "not read"
    count = 0
    try:
        while count < limit:
            sent = yield count
            step = sent or 1
            count += step
    finally:
        print("closed", count)


def closures(base):
    offset = base + 1
    items = [offset + x for x in range(3) for offset in [x]]
    table = {k: v for k, v in zip("ab", items)}

    def inner(extra, *, offset=offset):
        nonlocal base
        base = base + extra
        return base + offset

    def own():
        offset = 100
        return offset

    return inner(1), inner(2, offset=5), own(), table, base


def texts(value):
    width = 6
    shown = value * 2
    other = f"{shown:>{width}}|{shown!r:<{width}}|{value + 1}"
    return f"{shown=} {other}" + "shown width"


def matches(shape):
    kind = "none"
    match shape:
        case [x, y]:
            kind = x + y
        case {"k": found, **rest}:
            kind = found, rest
        case str() as text:
            kind = text
    return kind


def caught(text):
    with contextlib.suppress(ValueError):
        number = int(text)
        return number
    parts, *rest = text.split(",")
    try:
        return int(parts)
    except ValueError as error:
        reason = str(error)
        return reason, rest
    finally:
        total = len(rest)
        print("total", total)


def scopes():
    class Local:
        size = 3
        double = size * 2

        def get(self, size=size):
            return self.size + size

    size = Local().get()
    pick = lambda size: size + 1
    return size, pick(size), [total for total in range(2)], (last := size), last


async def later(n):
    got = await asyncio.sleep(0, n)
    pairs = [p async for p in ticks(got)]
    return pairs


async def ticks(n):
    for tick in range(n):
        yield tick


def run():
    print([branches(n) for n in range(9)])
    print(declared(3), declared(0))
    print(swapped(4))
    steps = generator(9)
    print(next(steps), steps.send(3), next(steps))
    steps.close()
    print(closures(7), texts(21), matches([1, 2]), matches({"k": 1, "z": 2}), matches("t"))
    print(caught("12"), caught("x,2"), scopes(), asyncio.run(later(3)))
    print(branches.__doc__, generator.__doc__)


run()
