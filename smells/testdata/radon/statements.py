"""Every statement that radon counts, and those that it does not."""


def empty(): pass


def branches(a, b, c):
    if a and b or not c:
        return 1
    elif b:
        return 2
    elif (a and
          c):
        return 3
    else:
        return 4


def loops(items, limit=10 if True else 20):
    for item in items:
        while item and limit:
            limit -= 1
        else:
            break
        continue
    else:
        return [i for i in items if i if i > 2 for j in i if j]
    for _ in items: pass


def handlers(f):
    try:
        f()
    except ValueError:
        pass
    except (TypeError, KeyError) as e:
        raise RuntimeError() from e
    else:
        f()
    finally:
        f()
    try:
        f()
    finally:
        f()


def asserts(a, b):
    assert a and b and (1 if a else 2), "a" or "b"
    assert [x for x in a if x]


def withs(a, b):
    with a as x, b as y:
        pass
    with (x if y else a):
        pass


def matches(a):
    match a:
        case 1 | 2:
            pass
        case [x, *_] if x > 1 and x < 3:
            pass
        case {"k": y} if y or x:
            if y:
                pass
        case _:
            pass


async def later(a):
    async for x in a:
        pass
    async with a as b:
        pass
    return [x async for x in a if await x]


def expressions(a, b):
    x = lambda q, r=a or b: q and r
    y = {k: v for k, v in a if k} | {k for k in b} | {1 if a else 2}
    z = sum(i for i in a if i or b)
    s = f"{a or b} {x if a else b:{a and b}} {{a and b}}"
    w = "a" "b" if a else "c"
    if (n := len(a)) and n > 1:
        pass
    return not a, a if b else (b if a else x), y, z, s, w


@decorated(lambda: 1 if x else 2)
@other
def annotated(a: int or str, *args: 1 if x else 2, k=lambda: 1 or 2, **kw) -> (a or b):
    x: int or str = 1
    global q
    del a; return x if k else args


def groups(a):
    try:
        a()
    except* ValueError:
        if a:
            pass
    except *OSError as e:
        pass
    except *(KeyError, IndexError):
        pass
    else:
        a and a()
    try:
        a()
    except KeyError:
        pass
    else:
        try:
            a()
        except* OSError: pass
        else:
            pass


def a_name_of_more_than_a_hundred_characters_which_is_what_some_generators_write_for_the_place_in_a_schema_that_they_check(a):
    return a or 1


if __name__ == "__main__":
    def conditional():
        return 1 and 2
else:
    def conditional():
        return 1
