#include <stdlib.h>
#include "../../trap.h"

int first(int n)
{
	int *all = malloc(n * sizeof(int));
	int sum;
	if (n == n)
		sum = 0;
	all[0] = sum;
	return all[0];
}
