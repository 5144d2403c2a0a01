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

// TestWithoutFMA holds that a processor with AVX2 and without FMA, as some virtual machines show
// it, gets one clear line in the place of a crash, and that what the line tells works.
func TestWithoutFMA(t *testing.T) {
	encoder, err := filepath.Abs("../../sts/testdata/pytorch/small/bert")
	if err != nil {
		t.Fatal(err)
	}
	dir := folder(t, "cache-expiry/change.diff")
	p := reference
	p.run = []string{"qemu-x86_64", "-cpu", "Haswell,-fma"}
	one := strings.Fields("score --diff change.diff --review text --format json")
	if got := p.must(t, dir, one...); !strings.Contains(got, "arch=amd64-nofma ") {
		t.Errorf("the built-in model: %s", got)
	}
	one = append(one, "--mode", "soft", "--similarity", "cosine", "--encoder", encoder)
	if r := finish(t, p.command(t, dir, one...)); r.code != 2 || !strings.Contains(r.log, "without FMA") || strings.Contains(r.log, "SIGILL") {
		t.Errorf("a transformer: exit code %d: %.500s", r.code, r.log)
	}
	p.env = append(p.env, "GOMLX_SIMD_AVX2=false", "GOMLX_SIMD_AVX512=false")
	if got := p.must(t, dir, one...); !strings.Contains(got, "-go arch=amd64-nofma ") {
		t.Errorf("without vector instructions: %s", got)
	}
}
