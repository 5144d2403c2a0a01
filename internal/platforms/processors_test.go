package platforms

import (
	"strings"
	"testing"
)

// rounding is how far they may be from newer ones.
const rounding = 1e-12

// TestOlderProcessors runs the binary on processors of amd64 that lack the vector instructions
// which newer ones have, and on the first of all: none gets an instruction that it does not
// know. Signatures tell that Go rounds its exponential function in another way there.

func TestOlderProcessors(t *testing.T) {
	dir := folder(t, "reviewers.jsonl")
	for _, c := range []string{"score --data reviewers.jsonl --explain", "metrics --data reviewers.jsonl --reference specific --metrics bleu"} {
		want := reference.must(t, dir, strings.Fields(c)...)
		for cpu, arch := range map[string]string{"Nehalem": "amd64-nofma", "qemu64": "amd64-nofma"} {
			old := reference
			old.name, old.run = cpu, []string{"qemu-x86_64", "-cpu", cpu}
			got := old.must(t, dir, strings.Fields(c)...)
			if far, err := distance(signed.ReplaceAllString(want, ""), signed.ReplaceAllString(got, "")); err != nil || far > rounding {
				t.Errorf("%s: %v, %g away: %s", cpu, err, far, differs(want, got))
			}
			if !strings.Contains(got, " arch="+arch) {
				t.Errorf("%s: no signature has %s: %s", cpu, arch, differs(want, got))
			}
		}
	}
}
