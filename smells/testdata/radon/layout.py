def tabs(a):
	if a:
		return 1

	return (a
		or 2)  # or 3 and 4


def café(ü):
    return "ä or ö" if ü else """if x:
    for y in z
"""

class É(object):
    def m(self): return self or \
        1
    # if x and y:

def last(): return 1 if 2 else 3