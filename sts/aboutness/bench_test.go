package aboutness

import "testing"

func BenchmarkText(b *testing.B) {
	m, err := Builtin()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m.Text("`put` now requires a `ttl` argument, so every existing caller of `get_or_default()` breaks. Consider a default, please.")
	}
}
