#include <stdio.h>

int main(void)
{
	puts("clean");
	return 0;
}
