package platforms

import (
	"strings"
	"testing"
)

// TestHome runs commands whose home folder cannot be written, or is none. Scores need no home.
// What does need one says which folder it wants.
func TestHome(t *testing.T) {
	one := "--diff change.diff --old before.py --review @vague.md"
	dir := folder(t, "cache-expiry/change.diff", "cache-expiry/before.py", "cache-expiry/vague.md", "cache-expiry/comments.json")
	want := reference.must(t, dir, strings.Fields("score --format json "+one)...)
	// Not even root can make a file there, or a folder.
	homes := map[string]string{"proc": "/proc", "null": "/dev/null/home"}
	for _, p := range append(emulated(), reference) {
		for named, home := range homes {
			t.Run(p.name+"/"+named, func(t *testing.T) {
				t.Parallel()
				p := p
				p.home = home
				got := strings.ReplaceAll(p.must(t, dir, strings.Fields("score --format json "+one)...), "arch=arm64", "arch=amd64")
				if far, err := distance(want, got); err != nil || far > fused {
					t.Errorf("%v, %g away", err, far)
				}
				for _, args := range []string{"cache info", "models list"} {
					r := finish(t, p.command(t, dir, strings.Fields(args)...))
					// An answer or a reason, about this folder and no other.
					if said := r.out + r.log; !strings.Contains(said, named) || strings.Contains(said, "goroutine ") || r.code > 3 {
						t.Errorf("%s: exit code %d: %s", args, r.code, said)
					}
				}
			})
		}
	}
}
