int first(int n
{
	return n;
}
