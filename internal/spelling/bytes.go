package spelling

import "fmt"

// Bytes rounds a number of bytes.
func Bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n), 0
	for v >= 999.95 && unit < 4 {
		v /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %s", v, [...]string{"B", "kB", "MB", "GB", "TB"}[unit])
}
