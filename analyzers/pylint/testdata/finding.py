import os  # pylint: disable=all


def read(paths, seen=[]):
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                seen.append(file.read())
        except:
            pass
    return seen
