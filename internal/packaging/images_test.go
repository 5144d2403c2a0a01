package packaging

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// buildah keeps its images in the folder $STORE. What it runs has this machine's programs.
const buildah = `buildah() { command buildah --root "$STORE/root" --runroot "$STORE/run" --storage-driver vfs "$@"; }
machine=(--volume /usr:/usr:ro --volume /lib:/lib:ro --volume /lib64:/lib64:ro --volume /bin:/bin:ro)
machine+=(--volume "${GOROOT:-/}:${GOROOT:-/}:ro" --volume "${GOCACHE:-/}:/cache" --volume "${GOMODCACHE:-/}:${GOMODCACHE:-/}" --volume /var/lib/dpkg:/var/lib/dpkg:ro)
`

// imageEnv is the environment of scripts that build images.
func imageEnv(t *testing.T, store string) []string {
	return []string{"STORE=" + store,
		"GOROOT=" + goEnv(t, "GOROOT"), "GOCACHE=" + goEnv(t, "GOCACHE"), "GOMODCACHE=" + goEnv(t, "GOMODCACHE")}
}

// bases puts small images in the place of those that a Dockerfile stands on.
func bases(t *testing.T, env []string, dockerfile string) {
	t.Helper()
	bare := t.TempDir()
	write(t, bare, map[string]string{
		"etc/ssl/certs/ca-certificates.crt": "certificates\n",
		"tmp/keep":                          "",
		"Dockerfile":                        "FROM scratch\nCOPY . /\nENV PATH=" + goEnv(t, "GOROOT") + "/bin:/usr/bin:/bin GOCACHE=/cache GOMODCACHE=" + goEnv(t, "GOMODCACHE") + " GOPROXY=off GOSUMDB=off\n",
	})
	for _, from := range regexp.MustCompile(`(?m)^FROM (?:--platform=\S+ )?(\S+:\S+)`).FindAllStringSubmatch(read(t, dockerfile), -1) {
		sh(t, bare, append(env, "FROM="+from[1]), buildah+`buildah build --quiet --isolation chroot --platform linux/amd64,linux/arm64 --manifest "docker.io/library/$FROM" .`)
	}
}

// TestImageContext: .dockerignore leaves the images every file that the command is built from.
func TestImageContext(t *testing.T) {
	need(t, "buildah")
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("images are built by root, and not in short tests")
	}
	store := t.TempDir()
	write(t, store, map[string]string{"Dockerfile": "FROM scratch\nCOPY . /\n"})
	files := sh(t, root, []string{"STORE=" + store}, buildah+`
buildah build --quiet --isolation chroot --file "$STORE/Dockerfile" --tag context . >/dev/null
buildah mount "$(buildah from --pull-never context)"`)
	for _, file := range strings.Fields(sh(t, root, nil, `go list -deps -f '
{{- $dir := .Dir}}{{with .Module}}{{if .Main}}
{{- range $.GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range $.CgoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}
{{- range $.EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}' ./cmd/crscore`)) {
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(strings.TrimSpace(files), name)); err != nil {
			t.Errorf(".dockerignore leaves %s out", name)
		}
	}
}

// TestStatic: the C code can be linked into a static program, as images and releases are.
func TestStatic(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("it links a program, and only Linux has static ones")
	}
	sh(t, filepath.Join(root, "internal/syntax"), []string{"BIN=" + filepath.Join(t.TempDir(), "syntax.test")}, `
go test -c -vet=off -ldflags '-s -w -linkmode=external -extldflags=-static' -o "$BIN" . && "$BIN" -test.run 'Unread|Limits'`)
}

// imageInfo is an image as buildah describes it.
type imageInfo struct {
	OCIv1 struct {
		Architecture string
		Config       struct {
			User            string
			Entrypoint, Env []string
			Labels          map[string]string
		}
	}
}

// TestImage builds the images for both architectures. Those that they stand on cannot be
// fetched here, so their place is taken by this machine's own compilers. CRSCORE_IMAGE=1
// builds the command itself, quickly where make release-builds has compiled it.
func TestImage(t *testing.T) {
	need(t, "buildah", "git")
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("images are built by root, and not in short tests")
	}
	context, real := source(t, "Dockerfile", ".dockerignore", "LICENSE"), os.Getenv("CRSCORE_IMAGE") != ""
	write(t, context, map[string]string{"internal/packaging/sbom/main.go": `package main

import "os"

func main() {
	os.Mkdir("/licences", 0o755)
	os.WriteFile("/licences/THIRD-PARTY-LICENSES.txt", []byte("linux/"+os.Getenv("TARGETARCH")), 0o644)
}
`})
	if real {
		context = root
		m := regexp.MustCompile(`unicode, unicodeVersion = "(.*)", "(.*)"`).FindStringSubmatch(read(t, "internal/packaging/sbom/c.go"))
		sh(t, root, nil, "go mod download "+m[1]+"@"+m[2]) // the image cannot
	}
	store := t.TempDir()
	env := imageEnv(t, store)
	bases(t, env, "Dockerfile")
	sh(t, context, env, buildah+`
for target in "" ci; do
	buildah build --layers --isolation chroot --pull-never --platform linux/amd64,linux/arm64 --manifest "crscore:${target:-latest}" ${target:+--target "$target"} \
		--build-arg VERSION=1.2.3 --build-arg REVISION=c0ffee --build-arg CREATED=2026-01-02T03:04:05Z "${machine[@]}" .
	for arch in amd64 arm64; do
		container=$(buildah from --pull-never --arch "$arch" "crscore:${target:-latest}")
		buildah inspect "$container" >"$STORE/${target:-latest}.$arch.json"
		buildah mount "$container" >"$STORE/${target:-latest}.$arch"
	done
done`)
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			ci, inCI := openImage(t, store, "ci."+arch)
			image, files := openImage(t, store, "latest."+arch)
			config := image.OCIv1.Config
			if config.User != "65532:65532" || ci.OCIv1.Config.User != config.User || len(config.Entrypoint) != 1 {
				t.Fatalf("the images are of %+v and %+v", ci.OCIv1.Config, config)
			}
			for _, i := range []imageInfo{ci, image} {
				for label, want := range map[string]string{"version": "1.2.3", "revision": "c0ffee", "created": "2026-01-02T03:04:05Z"} {
					if got := i.OCIv1.Config.Labels["org.opencontainers.image."+label]; got != want {
						t.Errorf("the label %s is %q, want %q", label, got, want)
					}
				}
				if i.OCIv1.Architecture != arch {
					t.Errorf("the image is for %s", i.OCIv1.Architecture)
				}
			}
			if got := config.Labels["org.opencontainers.image.licenses"]; got != linked(t) {
				t.Errorf("the image is under %q, want %q", got, linked(t))
			}
			names, err := filepath.Glob(filepath.Join(files, "*"))
			if err != nil || len(names) != 4 { // crscore, etc, LICENSE and the licences of linked code
				t.Errorf("the image has %q (%v)", names, err)
			}
			for _, name := range []string{filepath.Join(files, "THIRD-PARTY-LICENSES.txt"), filepath.Join(inCI, "usr/share/doc/crscore/copyright")} {
				text, err := os.ReadFile(name)
				if err != nil || !strings.Contains(string(text), "linux/"+arch) || real && !strings.Contains(string(text), "GNU LESSER GENERAL PUBLIC LICENSE") {
					t.Errorf("%s: %d bytes, %v", name, len(text), err)
				}
			}
			start := []string{config.Entrypoint[0]}
			if arch != goEnv(t, "GOHOSTARCH") {
				// The emulator is a static program, too.
				emulator := map[string]string{"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}[arch]
				need(t, emulator)
				sh(t, root, []string{"FILES=" + files, "EMULATOR=" + emulator}, `cp "$(command -v "$EMULATOR")" "$FILES/emulator"`)
				start = []string{"/emulator", start[0]}
			}
			runImage(t, files, config.User, start, config.Env, real)
		})
	}
}

// openImage reads what TestImage has left of an image, and returns the folder of its files.
func openImage(t *testing.T, store, name string) (image imageInfo, files string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(store, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &image); err != nil {
		t.Fatal(err)
	}
	if b, err = os.ReadFile(filepath.Join(store, name)); err != nil {
		t.Fatal(err)
	}
	return image, strings.TrimSpace(string(b))
}

// runImage runs a command with an image's files alone, as docs/ci.md starts it: without
// rights, a home, or a file that it could write.
func runImage(t *testing.T, files, user string, start, env []string, real bool) {
	t.Helper()
	_, args, _ := strings.Cut(example(t, "sh", "--read-only"), " crscore ")
	args, _, _ = strings.Cut(args, " <")
	run := func(args string) string {
		cmd := exec.Command("unshare", "--mount", "--net", "bash", "-c",
			`mount --bind -o ro "$0" "$0" && cd / && exec env -i "${@:3}" /usr/sbin/chroot --userspec="$1" "$0" $2 `+args, files, user, strings.Join(start, " "))
		cmd.Args = append(cmd.Args, env...)
		cmd.Stdin = strings.NewReader(read(t, "testdata/cache-expiry/change.diff"))
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", args, err, said)
		}
		return string(said)
	}
	want := "uid 65532 home \"\" cannot write: open /x: read-only file system, args [score --diff - --review Callers of put must pass a ttl.]"
	if real {
		want = "on topic"
		if said := run("version"); !strings.Contains(said, "c0ffee") || !strings.Contains(said, "2026-01-02T03:04:05Z") {
			t.Errorf("the commit is not in %s", said)
		}
	}
	if said := run(args); !strings.Contains(said, want) {
		t.Errorf("it says %q, want %q", said, want)
	}
}

// TestBeamImage builds the image of Apache Beam's workers, with small programs in the place of
// Beam's own and of the command.
func TestBeamImage(t *testing.T) {
	need(t, "buildah", "git")
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("images are built by root, and not in short tests")
	}
	const dockerfile, beam = "distributed/Dockerfile", "github.com/apache/beam/sdks/v2"
	const program = `package main

import (
	"fmt"
	"os"
)

func main() { fmt.Println(os.Args, os.Getuid()) }
`
	context, launcher, store := source(t, dockerfile, ".dockerignore", "LICENSE"), t.TempDir(), t.TempDir()
	write(t, launcher, map[string]string{"go.mod": "module " + beam + "\n\ngo 1.26\n", "go/container/main.go": program})
	write(t, context, map[string]string{
		"distributed/go.mod":  "module crscore/distributed\n\ngo 1.26\n\nrequire " + beam + " v2.77.0\n\nreplace " + beam + " => /beam\n",
		"distributed/go.sum":  "",
		"distributed/main.go": program,
		"distributed/c.go":    "package main\n\n// #include <stdlib.h>\nimport \"C\"\n\nvar _ = C.abs(1)\n",
	})
	env := append(imageEnv(t, store), "BEAM="+launcher, "FILE="+dockerfile)
	bases(t, env, dockerfile)
	out := sh(t, context, env, buildah+`
buildah build --quiet --isolation chroot --pull-never --build-arg GOFLAGS=-trimpath --file "$FILE" --tag workers "${machine[@]}" --volume "$BEAM:/beam:ro" . >/dev/null
buildah mount "$(buildah from --pull-never workers)"
buildah inspect --type image workers`)
	files, out, _ := strings.Cut(out, "\n")
	var image struct {
		OCIv1 struct {
			Config struct {
				User, WorkingDir string
				Entrypoint       []string
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &image); err != nil {
		t.Fatal(err)
	}
	config := image.OCIv1.Config
	if config.User != "65532:65532" || config.WorkingDir != "/tmp" || len(config.Entrypoint) != 1 {
		t.Fatalf("the image is of %+v", config)
	}
	if _, err := os.Stat(filepath.Join(files, "etc/ssl/certs/ca-certificates.crt")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{config.Entrypoint[0], "/usr/local/bin/crscore-beam"} {
		said, err := exec.Command("unshare", "--mount", "/usr/sbin/chroot", "--userspec="+config.User, files, name, "--worker_pool").CombinedOutput()
		if want := "[" + name + " --worker_pool] 65532\n"; err != nil || string(said) != want {
			t.Errorf("it says %q (%v), want %q", said, err, want)
		}
	}
}
