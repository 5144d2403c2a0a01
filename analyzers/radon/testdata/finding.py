class Shop:
    def price(self, kind, count, member, day):
        if kind == "tea":
            total = 3
        elif kind == "coffee":
            total = 4
        elif kind == "cake":
            total = 5
        else:
            raise ValueError(kind)
        if count > 10 and member or count > 20:
            total -= 1
        for part in day.split():
            if part == "sunday":
                total += 1
            elif part == "monday" and not member:
                total -= 1
        while count > 100:
            count -= 1
        return total * count if count else 0
