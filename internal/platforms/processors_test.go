package platforms

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestOlderProcessors runs the binary on processors of amd64 that lack the vector instructions
// which newer ones have: none gets an instruction that it does not know. Signatures tell what
// changes the last digits.
func TestOlderProcessors(t *testing.T) {
	dir := folder(t, "reviewers.jsonl")
	encoder, err := filepath.Abs("../../sts/testdata/pytorch/small/bert")
	if err != nil {
		t.Fatal(err)
	}
	transformer := "--mode soft --similarity cosine --encoder " + encoder
	for _, tt := range []struct {
		cpu, args, signature string
		far                  float64
	}{
		{"qemu64", "score --data reviewers.jsonl --explain", "-go arch=amd64-nofma ", fused},
		{"Nehalem", "metrics --data reviewers.jsonl --reference specific --metrics bleu", " arch=amd64-nofma", fused},
		{"Nehalem", "score --data reviewers.jsonl --explain " + transformer, "-go arch=amd64-nofma ", 1e-6},
	} {
		old := reference
		old.name, old.run = tt.cpu, []string{"qemu-x86_64", "-cpu", tt.cpu}
		want, got := reference.must(t, dir, strings.Fields(tt.args)...), old.must(t, dir, strings.Fields(tt.args)...)
		far, err := distance(signed.ReplaceAllString(want, ""), signed.ReplaceAllString(got, ""))
		if err != nil || far > tt.far {
			t.Errorf("%s on %s: %v, %g away: %s", tt.args, tt.cpu, err, far, differs(want, got))
		}
		if !strings.Contains(got, tt.signature) {
			t.Errorf("%s on %s: the signature lacks %q: %s", tt.args, tt.cpu, tt.signature, differs(want, got))
		}
	}
}
