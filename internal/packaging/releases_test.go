package packaging

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"debug/pe"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// built holds the files of make release-builds in dist.
type built struct {
	dir, version, commit string
	date                 time.Time // of the commit
}

// openRelease reads dist, which make release-builds must have made of the tested commit.
func openRelease(t *testing.T) built {
	t.Helper()
	if os.Getenv("CRSCORE_PACKAGING") == "" {
		t.Skip("make packaging runs this with dist")
	}
	r := built{dir: filepath.Join(root, "dist")}
	file, err := os.ReadFile(filepath.Join(r.dir, "metadata.json"))
	if err != nil {
		t.Fatalf("%v: make release-builds makes it", err)
	}
	var m struct{ Version, Commit string }
	if err := json.Unmarshal(file, &m); err != nil {
		t.Fatal(err)
	}
	r.version, r.commit = m.Version, m.Commit
	head := strings.Fields(sh(t, root, nil, "git show --no-patch --format='%H %ct' HEAD"))
	if r.commit != head[0] {
		t.Fatalf("dist is of commit %s, not of %s: make release-builds makes it anew", r.commit, head[0])
	}
	var seconds int64
	if _, err := fmt.Sscan(head[1], &seconds); err != nil {
		t.Fatal(err)
	}
	r.date = time.Unix(seconds, 0)
	return r
}

func (r built) name(target, ext string) string { return "crscore_" + r.version + "_" + target + ext }

// entry is a file of an archive or of a package.
type entry struct {
	mode  fs.FileMode
	owner string
	time  time.Time
	data  []byte
}

// tarball reads a compressed archive.
func tarball(t *testing.T, r io.Reader) map[string]entry {
	t.Helper()
	files := map[string]entry{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			files[path.Clean("/" + h.Name)[1:]] = entry{h.FileInfo().Mode(), h.Uname + ":" + h.Gname, h.ModTime, data}
		}
	}
}

func (r built) archive(t *testing.T, target string) map[string]entry {
	t.Helper()
	if strings.HasPrefix(target, "windows") {
		z, err := zip.OpenReader(filepath.Join(r.dir, r.name(target, ".zip")))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		files := map[string]entry{}
		for _, f := range z.File {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			files[f.Name] = entry{f.Mode(), "root:root", f.Modified, data}
		}
		return files
	}
	f, err := os.Open(filepath.Join(r.dir, r.name(target, ".tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return tarball(t, z)
}

var targets = []string{"linux_amd64", "linux_arm64", "windows_amd64"}

// TestChecksums: checksums.txt names every file of a release, and is right.
func TestChecksums(t *testing.T) {
	r := openRelease(t)
	want := []string{}
	for _, target := range targets {
		if strings.HasPrefix(target, "windows") {
			want = append(want, r.name(target, ".zip"))
		} else {
			want = append(want, r.name(target, ".tar.gz"), r.name(target, ".deb"), r.name(target, ".rpm"))
		}
		want = append(want, r.name(target, ".cdx.json"))
	}
	slices.Sort(want)
	var got []string
	for line := range strings.Lines(read(t, "dist/checksums.txt")) {
		f := strings.Fields(line)
		if len(f) != 2 {
			t.Fatalf("a line of checksums is %q", line)
		}
		data, err := os.ReadFile(filepath.Join(r.dir, f[1]))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f[0] {
			t.Errorf("%s has another checksum", f[1])
		}
		got = append(got, f[1])
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the release has %q, want %q", got, want)
	}
}

// TestArchives looks into the archives: names, owners, times, and whether the binary is for its
// system and names no folder of the machine that built it.
func TestArchives(t *testing.T) {
	r := openRelease(t)
	want := []string{"LICENSE", "README.md", "THIRD-PARTY-LICENSES.txt",
		"completions/crscore.bash", "completions/crscore.fish", "completions/crscore.ps1", "completions/crscore.zsh"}
	for _, pattern := range []string{"docs/*.md", "docs/*.png"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			want = append(want, "docs/"+filepath.Base(f))
		}
	}
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			files, bin := r.archive(t, target), "crscore"
			if strings.HasPrefix(target, "windows") {
				bin += ".exe"
			}
			var names []string
			for name, f := range files {
				names = append(names, name)
				mode := fs.FileMode(0o644)
				if name == bin {
					mode = 0o755
				}
				if f.mode != mode || f.owner != "root:root" || !f.time.Equal(r.date) {
					t.Errorf("%s is of %s, mode %s, %s; want the time of the commit, %s", name, f.owner, f.mode, f.time, r.date)
				}
			}
			slices.Sort(names)
			all := append(slices.Clone(want), bin)
			if slices.Sort(all); !slices.Equal(names, all) {
				t.Errorf("it has %q, want %q", names, all)
			}
			if string(files["LICENSE"].data) != read(t, "LICENSE") {
				t.Error("LICENSE is another one")
			}
			for shell, has := range map[string]string{"bash": "__start_crscore", "zsh": "#compdef crscore", "fish": "complete -c crscore", "ps1": "Register-ArgumentCompleter"} {
				if !bytes.Contains(files["completions/crscore."+shell].data, []byte(has)) {
					t.Errorf("the completions of %s lack %q", shell, has)
				}
			}
			info := checkBinary(t, files[bin].data, target)
			checkBOM(t, r, target, files[bin].data, info, string(files["THIRD-PARTY-LICENSES.txt"].data))
		})
	}
}

// checkBinary: a binary is for its system, asks for no library, and has no path of the
// machine that built it.
func checkBinary(t *testing.T, data []byte, target string) *debug.BuildInfo {
	t.Helper()
	goos, goarch, _ := strings.Cut(target, "_")
	// The page tells what makes the size. It should not grow unnoticed.
	var said float64
	if m := regexp.MustCompile(`linux/amd64 is ([0-9.]+) MB`).FindStringSubmatch(read(t, "docs/releases.md")); m == nil {
		t.Error("docs/releases.md does not tell the size")
	} else if _, err := fmt.Sscan(m[1], &said); err != nil {
		t.Fatal(err)
	}
	size := float64(len(data)) / 1e6
	if size > said+1 || target == "linux_amd64" && size < said-1 {
		t.Errorf("it has %.1f MB, and docs/releases.md tells of %.1f: see make size", size, said)
	}
	if goos == "windows" {
		f, err := pe.NewFile(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		libraries, err := f.ImportedLibraries()
		if err != nil || f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 {
			t.Errorf("machine %x, %v", f.Machine, err)
		}
		for _, l := range libraries {
			// Windows has these; libgcc and libwinpthread come with compilers only.
			if !slices.Contains([]string{"kernel32.dll", "msvcrt.dll"}, strings.ToLower(l)) {
				t.Errorf("it needs %s", l)
			}
		}
	} else {
		f, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[goarch]; f.Machine != want {
			t.Errorf("it is for %s", f.Machine)
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
				t.Errorf("it is not static: %s", p.Type)
			}
		}
	}
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if set["GOOS"] != goos || set["GOARCH"] != goarch || set["CGO_ENABLED"] != "1" || set["-trimpath"] != "true" || set["GOAMD64"]+set["GOARM64"] != map[string]string{"amd64": "v1", "arm64": "v8.0"}[goarch] {
		t.Errorf("it was built with %v", info.Settings)
	}
	paths := []string{root, goEnv(t, "GOMODCACHE"), goEnv(t, "GOCACHE"), os.TempDir() + "/go-build"}
	if u, err := user.Current(); err == nil && u.Username != "root" {
		paths = append(paths, u.HomeDir, "/"+u.Username+"/")
	}
	for _, p := range paths {
		if p != "" && bytes.Contains(data, []byte(p)) {
			t.Errorf("it has the path %s in it", p)
		}
	}
	return info
}

// checkBOM: the document of an archive is valid, and it and the licences name everything
// that is linked.
func checkBOM(t *testing.T, r built, target string, bin []byte, info *debug.BuildInfo, licences string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, r.name(target, ".cdx.json")))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	schema := cycloneDX(t)
	if err := schema.Validate(doc); err != nil {
		t.Errorf("the document is not valid: %v", err)
	}
	doc.(map[string]any)["components"].([]any)[0].(map[string]any)["type"] = "poem"
	if schema.Validate(doc) == nil {
		t.Error("a document with an unknown type is valid")
	}
	var bom struct {
		Metadata struct {
			Timestamp time.Time
			Component struct {
				Version string
				Hashes  []struct{ Content string }
			}
		}
		Components []struct {
			Name, Version string
			Licenses      []struct{ Expression string }
		}
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	command := bom.Metadata.Component
	if sum := sha256.Sum256(bin); command.Version != r.version || len(command.Hashes) != 1 || command.Hashes[0].Content != hex.EncodeToString(sum[:]) || !bom.Metadata.Timestamp.Equal(r.date) {
		t.Errorf("the document is of %+v", bom.Metadata)
	}
	has := map[string]bool{}
	var all []string
	for _, c := range bom.Components {
		has[c.Name+" "+c.Version], has[c.Name] = true, true
		if len(c.Licenses) != 1 || c.Licenses[0].Expression == "" || !strings.Contains(licences, strings.TrimSpace(c.Name+" "+c.Version)+": "+c.Licenses[0].Expression+"\n") {
			t.Errorf("the licences do not name %s with %v", c.Name, c.Licenses)
			continue
		}
		all = append(all, strings.Split(c.Licenses[0].Expression, " AND ")...)
	}
	slices.Sort(all)
	if got := strings.Join(slices.Compact(all), " AND "); got != linked(t) && strings.HasPrefix(target, "linux") {
		t.Errorf("packages and images are under %q, want %q", linked(t), got)
	}
	want := []string{"Go's standard library", "tree-sitter", "SQLite"}
	for _, m := range info.Deps {
		want = append(want, m.Path+" "+m.Version)
	}
	for _, m := range regexp.MustCompile(`go-tree-sitter/(\w+)`).FindAllStringSubmatch(sh(t, root, nil, "cat internal/syntax/*.go"), -1) {
		want = append(want, "tree-sitter grammar "+m[1])
	}
	for _, name := range want {
		if !has[name] {
			t.Errorf("the document lacks %s", name)
		}
	}
	for _, text := range []string{"Copyright (c) 2019 fwcd", "COPYRIGHT AND PERMISSION NOTICE (ICU", "SIL OPEN FONT LICENSE", "May you share freely", "MERCHANTABILITY"} {
		if !strings.Contains(strings.ToUpper(licences), strings.ToUpper(text)) {
			t.Errorf("the licences lack %q", text)
		}
	}
}

// linked are the licences of all code in a binary for Linux, as packages and images name them.
func linked(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^    license: (.*)$`).FindStringSubmatch(read(t, ".goreleaser.yaml"))
	if m == nil {
		t.Fatal("packages have no licence")
	}
	return m[1]
}

// cycloneDX is the schema that CycloneDX publishes; its Go module has it.
func cycloneDX(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir := strings.TrimSpace(sh(t, root, nil, "go list -m -f '{{.Dir}}' github.com/CycloneDX/cyclonedx-go"))
	c := jsonschema.NewCompiler()
	for url, name := range map[string]string{"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json"} {
		f, err := os.Open(filepath.Join(dir, "schema", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		doc, err := jsonschema.UnmarshalJSON(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("http://cyclonedx.org/schema/"+url, doc); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPackages installs the packages of Debian and Red Hat into a folder, with those systems'
// own programs, and runs the command that is there.
func TestPackages(t *testing.T) {
	r := openRelease(t)
	need(t, "dpkg", "dpkg-deb", "rpm")
	if os.Getuid() != 0 {
		t.Skip("packages are installed by root")
	}
	for _, target := range []string{"linux_amd64", "linux_arm64"} {
		_, arch, _ := strings.Cut(target, "_")
		env := []string{"DEB=" + filepath.Join(r.dir, r.name(target, ".deb")), "RPM=" + filepath.Join(r.dir, r.name(target, ".rpm"))}
		if got, want := sh(t, root, env, `dpkg-deb --show --showformat='${Package} ${Version} ${Architecture} ${Depends}\n' "$DEB"`),
			fmt.Sprintf("crscore %s %s \n", r.version, arch); got != want {
			t.Errorf("the package of Debian is %q, want %q", got, want)
		}
		if got, want := sh(t, root, env, `rpm --query --package --queryformat '%{NAME} %{VERSION} %{ARCH} %{LICENSE} %{BUILDTIME} %{BUILDHOST}\n' "$RPM"`),
			fmt.Sprintf("crscore %s %s %s %d reproducible\n", r.version, map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch], linked(t), r.date.Unix()); got != want {
			t.Errorf("the package of Red Hat is %q, want %q", got, want)
		}
		archived := r.archive(t, target)
		for _, kind := range []struct{ name, install, zsh string }{
			{"deb", `mkdir -p "$OUT"/var/lib/dpkg/{info,updates} && touch "$OUT"/var/lib/dpkg/{status,available}
dpkg --root="$OUT" --force-architecture --install "$DEB" && dpkg --root="$OUT" --verify crscore`, "vendor-completions"},
			{"rpm", `rpm --root "$OUT" --install --ignorearch --nodeps "$RPM" && rpm --root "$OUT" --verify --nodeps crscore`, "site-functions"},
		} {
			out := t.TempDir()
			sh(t, root, append(env, "OUT="+out), kind.install)
			for _, name := range []string{"usr/bin/crscore", "usr/share/bash-completion/completions/crscore", "usr/share/doc/crscore/README.md",
				"usr/share/doc/crscore/copyright", "usr/share/doc/crscore/docs/page.png", "usr/share/doc/crscore/docs/releases.md",
				"usr/share/fish/vendor_completions.d/crscore.fish", "usr/share/zsh/" + kind.zsh + "/_crscore"} {
				info, err := os.Stat(filepath.Join(out, name))
				mode := fs.FileMode(0o644)
				if path.Dir(name) == "usr/bin" {
					mode = 0o755
				}
				if err != nil {
					t.Errorf("%s of %s: %v", kind.name, target, err)
				} else if info.Mode() != mode || !info.ModTime().Equal(r.date) {
					t.Errorf("%s of %s: %s is of mode %s, %s; want the time of the commit, %s", kind.name, target, name, info.Mode(), info.ModTime(), r.date)
				}
			}
			for in, archive := range map[string]string{"usr/bin/crscore": "crscore", "usr/share/doc/crscore/copyright": "THIRD-PARTY-LICENSES.txt"} {
				data, err := os.ReadFile(filepath.Join(out, in))
				if err != nil || !bytes.Equal(data, archived[archive].data) {
					t.Errorf("%s of %s has another %s than the archive (%v)", kind.name, target, in, err)
				}
			}
			if arch == goEnv(t, "GOHOSTARCH") {
				r.runs(t, filepath.Join(out, "usr/bin/crscore"))
			}
		}
	}
}

// runs checks what an installed command says of itself.
func (r built) runs(t *testing.T, bin string) {
	t.Helper()
	cmd := exec.Command(bin, "version", "--format", "json")
	cmd.Env = []string{} // no home, no path
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var v struct {
		Version, Commit, Level string
		CommitTime             time.Time `json:"commit_time"`
		CGO                    bool
		Tags                   []string
	}
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatal(err)
	}
	if v.Version != r.version || v.Commit != r.commit || !v.CommitTime.Equal(r.date) || !v.CGO || !slices.Contains(v.Tags, "netgo") || v.Level == "" {
		t.Errorf("the command says %s", out)
	}
	text, err := exec.Command(bin, "version").Output()
	if want := "commit           " + r.commit; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("the command says %s (%v), want %q", text, err, want)
	}
}
