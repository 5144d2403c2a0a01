package setup

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"crscore/internal/config"
	"crscore/pseudoref/symbolic"
)

// TestConfigDocs reads the examples of docs/config.md, the first as a user's file
// and the second as a project's.
func TestConfigDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindAllSubmatch(page, -1)
	if len(examples) != 2 {
		t.Fatalf("%d examples, want 2", len(examples))
	}
	t.Chdir(t.TempDir())
	user, err := filepath.Abs("user.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{user: examples[0][1], config.ProjectFile: examples[1][1]} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Files{User: user}.Load(t.Context(), Paths, "", Log{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Files) != 2 || c.Claims.Value == "" || c.Smells.Value == "" || len(c.Rules) != 3 || len(c.ClaimRules) != 2 || len(c.Ignore) != 3 || len(c.Tools.Paths) != 1 {
		t.Errorf("%+v", c)
	}
	if s, err := SmellOptions(c).Signature(); err != nil || s != "builtin/6(-deep-nesting,+long-comprehension,long-method=60,long-parameter-list=7,-magic-number)" {
		t.Errorf("signature %s, %v", s, err)
	}
	if s, err := ClaimOptions(c).Signature(); err != nil || s != symbolic.Version+"(-parameter-added-callers,-parameter-removed)" {
		t.Errorf("signature %s, %v", s, err)
	}
}
