package platforms

import "testing"

// TestOlderProcessors runs the binary on processors of amd64 that lack the vector instructions
// which newer ones have, and on the first of all: none gets an instruction that it does not
// know. The scores are the same.
func TestOlderProcessors(t *testing.T) {
	dir := folder(t, "reviewers.jsonl")
	args := []string{"score", "--data", "reviewers.jsonl", "--explain"}
	want := reference.must(t, dir, args...)
	for _, cpu := range []string{"Nehalem", "qemu64"} {
		old := reference
		old.name, old.run = cpu, []string{"qemu-x86_64", "-cpu", cpu}
		if got := old.must(t, dir, args...); got != want {
			t.Errorf("%s: other scores: %s", cpu, differs(want, got))
		}
	}
}
