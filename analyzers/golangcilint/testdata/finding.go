package shop

import (
	"os"
	"strconv"
)

// Keep writes a number.
func Keep(name string, n int) bool {
	f, err := os.Create("stock.txt")
	if err != nil {
		return false
	}
	defer f.Close()
	f.WriteString(strconv.Itoa(int(n)))
	if n == n {
		return true
	}
	return false
}
