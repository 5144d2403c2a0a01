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
	type file struct{ Src string }
	var c struct {
		Before struct{ Hooks []string }
		Builds []struct {
			ID, Main, Skip                 string
			Env, Tags, Flags, Ldflags      []string
			Goos, Goarch, Goamd64, Goarm64 []string
			ModTimestamp                   string `yaml:"mod_timestamp"`
		}
		Archives []struct{ Files []file }
		NFPMs    []struct{ Contents []file } `yaml:"nfpms"`
	}
	if err := yaml.Unmarshal([]byte(read(t, ".goreleaser.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	image := read(t, "Dockerfile")
	for _, b := range c.Builds {
		if m, err := filepath.Glob(filepath.Join(root, b.Main, "*.go")); err != nil || len(m) == 0 {
			t.Errorf("%s: there is no %s", b.ID, b.Main)
		}
		if !slices.Contains(b.Flags, "-trimpath") || !slices.Contains(b.Flags, "-buildvcs=false") || b.ModTimestamp == "" || len(b.Ldflags) != 3 {
			t.Errorf("%s: the bytes depend on more than the commit: %+v", b.ID, b)
			continue
		}
		// The image is built in the same way, and its test shows that it is static.
		if tags := "-tags " + strings.Join(b.Tags, ","); !strings.Contains(image, tags) {
			t.Errorf("%s: the image is not built with %s", b.ID, tags)
		}
		if flags := `-ldflags "` + b.Ldflags[0]; !slices.Equal(b.Goos, []string{"darwin"}) && !strings.Contains(image, flags) {
			t.Errorf("%s: the image is not built with %s", b.ID, flags)
		}
		for _, flag := range b.Ldflags[1:] {
			if set, _, _ := strings.Cut(flag, "="); !strings.Contains(image, set+"=") {
				t.Errorf("%s: the image is not built with %s", b.ID, set)
			}
		}
		amd64 := slices.Equal(b.Goarch, []string{"amd64"})
		if simd := slices.Contains(b.Env, "GOEXPERIMENT=simd"); simd != amd64 {
			t.Errorf("%s: for %s vector instructions are %t", b.ID, b.Goarch, simd)
		}
		// Any processor runs it.
		if amd64 && !slices.Equal(b.Goamd64, []string{"v1"}) || !amd64 && !slices.Equal(b.Goarm64, []string{"v8.0"}) {
			t.Errorf("%s: it asks for a processor of %s%s", b.ID, b.Goamd64, b.Goarm64)
		}
		// Apple's SDK is on Macs only; there is nothing else for the other systems.
		if mac := slices.Contains(b.Goos, "darwin"); b.Skip != map[bool]string{true: `{{ ne .Runtime.Goos "darwin" }}`, false: `{{ eq .Runtime.Goos "darwin" }}`}[mac] {
			t.Errorf("%s: it is left out if %s", b.ID, b.Skip)
		}
	}
	if len(c.Builds) != 5 || len(c.Archives) != 1 || len(c.NFPMs) != 1 || len(c.Before.Hooks) != 2 {
		t.Fatalf("the configuration has %+v", c)
	}
	for _, f := range slices.Concat(c.Archives[0].Files, c.NFPMs[0].Contents) {
		if m, err := filepath.Glob(filepath.Join(root, f.Src)); !strings.HasPrefix(f.Src, "dist/") && (err != nil || len(m) == 0) {
			t.Errorf("releases have no %s", f.Src)
		}
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

	need(t, "goreleaser")
	dir := t.TempDir()
	write(t, dir, map[string]string{".goreleaser.yaml": read(t, ".goreleaser.yaml")})
	sh(t, dir, gitEnv, `git init -q . && git remote add origin https://git.example.org/a/crscore.git && goreleaser check
sed -i s/goarch:/architecture:/ .goreleaser.yaml && ! goreleaser check`)
}
