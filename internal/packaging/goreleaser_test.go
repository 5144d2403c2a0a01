package packaging

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestReleases reads the configuration as GoReleaser does, and checks it against the
// repository.
func TestReleases(t *testing.T) {
	var c struct {
		Before struct{ Hooks []string }
		Builds []struct {
			ID, Main           string
			Env, Tags, Ldflags []string
			Goarch             []string
		}
		Archives []struct{ Files []string }
	}
	if err := yaml.Unmarshal([]byte(read(t, ".goreleaser.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	image := read(t, "Dockerfile")
	for _, b := range c.Builds {
		if m, err := filepath.Glob(filepath.Join(root, b.Main, "*.go")); err != nil || len(m) == 0 {
			t.Errorf("%s: there is no %s", b.ID, b.Main)
		}
		// The image is built in the same way, and its test shows that it is static.
		if tags := "-tags " + strings.Join(b.Tags, ","); !strings.Contains(image, tags) {
			t.Errorf("%s: the image is not built with %s", b.ID, tags)
		}
		if flags := "-ldflags '" + strings.Join(b.Ldflags, " ") + "'"; !strings.Contains(image, flags) {
			t.Errorf("%s: the image is not built with %s", b.ID, flags)
		}
		if simd := slices.Contains(b.Env, "GOEXPERIMENT=simd"); simd != slices.Equal(b.Goarch, []string{"amd64"}) {
			t.Errorf("%s: for %s vector instructions are %t", b.ID, b.Goarch, simd)
		}
	}
	for _, a := range c.Archives {
		for _, name := range a.Files {
			if m, err := filepath.Glob(filepath.Join(root, name)); err != nil || len(m) == 0 {
				t.Errorf("archives have no %s", name)
			}
		}
	}
	if len(c.Builds) == 0 || len(c.Archives) == 0 || len(c.Before.Hooks) != 1 {
		t.Fatalf("the configuration has %+v", c)
	}

	// The hook accepts only the version of the source.
	version := func(major, minor, patch string) string {
		return strings.NewReplacer("{{ .Major }}", major, "{{ .Minor }}", minor, "{{ .Patch }}", patch).Replace(c.Before.Hooks[0])
	}
	v := strings.Split(strings.TrimSpace(sh(t, root, nil, `sed -n 's/^const Version = "\(.*\)"/\1/p' doc.go`)), ".")
	if len(v) != 3 {
		t.Fatalf("the version is %q", v)
	}
	sh(t, root, nil, version(v[0], v[1], v[2]))
	sh(t, root, nil, "! "+version(v[0], v[1], "999"))

	need(t, "goreleaser-config")
	sh(t, root, nil, "goreleaser-config .goreleaser.yaml")
	sh(t, root, nil, "! goreleaser-config <(sed s/goarch:/architecture:/ .goreleaser.yaml)")
}
