#include <stdio.h>

int show(int price) { return printf("%d\n", price); }
