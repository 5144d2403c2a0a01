package packaging

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the address and the version of install.sh into the other files")

var everyShell = flag.Bool("every-shell", false, "run each case of install.sh in each shell")

// repeated is where a file repeats what install.sh says: the address, GitHub's name of it, the
// version.
var repeated = []*regexp.Regexp{
	regexp.MustCompile(`(https?://[\w.-]+(?:/[\w.-]+)*/crscore)\b`),
	regexp.MustCompile(`(?:\buses: |\bghcr\.io/)([\w.-]+/crscore)[@:]`),
	regexp.MustCompile(`(?:/releases/download/v|\brev: v|/crscore@v|/crscore:|\bcrscore_|--version |\bVERSION=|git checkout v)(\d+\.\d+\.\d+)\b`),
}

// TestAddress: the address of the repository and the version stand in install.sh, and the other
// files follow it.
func TestAddress(t *testing.T) {
	m := regexp.MustCompile(`(?m)^address=\$\{CRSCORE_URL:-(https://[^/}]+/([^}]+))\}\nversion=(.*)$`).FindStringSubmatch(read(t, "install.sh"))
	if m == nil {
		t.Fatal("install.sh has no address and version")
	}
	if m[3] != version(t) {
		t.Errorf("install.sh installs %s, and the source is %s", m[3], version(t))
	}
	says, found := []string{m[1], m[2], m[3]}, make([]int, len(repeated))
	for _, name := range strings.Fields(sh(t, root, nil, "git ls-files '*.md' '*.yaml' '*.yml' '*.sh' Dockerfile distributed/Dockerfile")) {
		text := read(t, name)
		now := text
		for i, re := range repeated {
			now = re.ReplaceAllStringFunc(now, func(s string) string {
				found[i]++
				return strings.Replace(s, re.FindStringSubmatch(s)[1], says[i], 1)
			})
		}
		if now == text {
			continue
		}
		if *update {
			if err := os.WriteFile(filepath.Join(root, name), []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s has another address or version than install.sh: run this test with -update", name)
	}
	if slices.Contains(found, 0) {
		t.Errorf("the documentation repeats address, name and version %v times", found)
	}
}

// version is the version of the source.
func version(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^const Version = "(.*)"$`).FindStringSubmatch(read(t, "doc.go"))
	if m == nil {
		t.Fatal("doc.go has no version")
	}
	return m[1]
}

// shells are the shells that install.sh is for, as one starts them.
var shells = []string{"dash", "bash", "busybox ash"}

// program is a command of a release.
const program = "#!/bin/sh\n[ \"$*\" = version ] && echo crscore 0.1.0\n"

// pack makes an archive with the license and a command.
func pack(t *testing.T, name, command string) []byte {
	t.Helper()
	var b bytes.Buffer
	files := [][2]string{{"LICENSE", "MIT\n"}, {"crscore", command}}
	if strings.HasSuffix(name, ".zip") {
		z := zip.NewWriter(&b)
		for _, f := range files {
			if f[0] == "crscore" {
				f[0] = "crscore.exe"
			}
			w, err := z.Create(f[0])
			if err == nil {
				_, err = w.Write([]byte(f[1]))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	compressed := gzip.NewWriter(&b)
	w := tar.NewWriter(compressed)
	for _, f := range files {
		// The mode and the owner are not for the machine that installs it.
		err := w.WriteHeader(&tar.Header{Name: f[0], Size: int64(len(f[1])), Mode: 0o4644, Uid: 4711, Gid: 4711})
		if err == nil {
			_, err = w.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), compressed.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// release is the folder of a release: an archive of each system and their checksums.
func release(t *testing.T, command string) string {
	t.Helper()
	dir := t.TempDir()
	sums := ""
	for _, name := range []string{"linux_amd64.tar.gz", "linux_arm64.tar.gz", "darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "windows_amd64.zip"} {
		name = "crscore_" + version(t) + "_" + name
		b := pack(t, name, strings.ReplaceAll(command, "ARCHIVE", name))
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(b), name)
		write(t, dir, map[string]string{name: string(b)})
	}
	write(t, dir, map[string]string{"checksums.txt": sums})
	return dir
}

// releaseHandler answers as the repository a/crscore, whose release is in a folder, and notes
// each request.
func releaseHandler(t *testing.T, dir *string, asked *[]string) http.HandlerFunc {
	prefix := "/a/crscore/releases/download/v" + version(t) + "/"
	return func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path)
		if name, ok := strings.CutPrefix(r.URL.Path, prefix); ok {
			http.ServeFile(w, r, filepath.Join(*dir, name))
			return
		}
		http.NotFound(w, r)
	}
}

func serve(t *testing.T, dir *string, asked *[]string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(releaseHandler(t, dir, asked))
	t.Cleanup(s.Close)
	return s
}

// tools are all that install.sh needs, or can use.
const tools = "cat chmod curl cut git grep gzip head minisign mkdir mktemp mv od openssl printf rm rmdir sha256sum shasum tail tar tr unzip wget"

// machine makes a folder of programs for PATH: install.sh's tools without some, and uname and
// sysctl of a system.
func machine(t *testing.T, uname, without string) string {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range strings.Fields(tools) {
		at, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(strings.Fields(without), tool) {
			if err := os.Symlink(at, filepath.Join(dir, tool)); err != nil {
				t.Fatal(err)
			}
		}
	}
	kernel, machine, _ := strings.Cut(uname, " ")
	machine, rosetta, _ := strings.Cut(machine, " ")
	write(t, dir, map[string]string{
		"uname":  "#!/bin/sh\n[ \"$1\" = -s ] && echo " + kernel + " || echo " + machine + "\n",
		"sysctl": "#!/bin/sh\n[ -n \"" + rosetta + "\" ] && echo 1\n",
	})
	return dir
}

// tree lists the files below a folder with their contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	return sh(t, dir, nil, "find . -type f -printf '%P %m\\n' -exec cat {} \\; | sort")
}

// installCase is a run of install.sh.
type installCase struct {
	name, uname, args string
	without, env      string
	breaks            string // a script that changes the release
	code              int
	says              string // the archive that is installed, or the line of the failure
}

func installCases() []installCase {
	const linux, elf = "Linux x86_64", `printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0' > crscore`
	repack := func(make string) string {
		return make + " && tar -czf crscore_*_linux_amd64.tar.gz crscore && sha256sum *.tar.gz > checksums.txt"
	}
	return []installCase{
		{name: "Linux", uname: linux, says: "linux_amd64.tar.gz"},
		{name: "arm64", uname: "Linux aarch64", says: "linux_arm64.tar.gz"},
		{name: "programs of 32 bits on arm64", uname: "Linux armv8l", says: "linux_arm64.tar.gz"},
		{name: "macOS", uname: "Darwin arm64", says: "darwin_arm64.tar.gz"},
		{name: "macOS on Intel", uname: "Darwin x86_64", says: "darwin_amd64.tar.gz"},
		{name: "Rosetta", uname: "Darwin x86_64 translated", says: "darwin_arm64.tar.gz"},
		{name: "Windows", uname: "MINGW64_NT-10.0-22631 x86_64", says: "windows_amd64.zip"},
		{name: "Windows on arm64", uname: "MSYS_NT-10.0-26100 aarch64", says: "windows_amd64.zip"},
		{name: "a shell of 32 bits on Windows", uname: "MINGW32_NT-10.0 i686", env: "PROCESSOR_ARCHITEW6432=AMD64", says: "windows_amd64.zip"},
		{name: "Windows' tar", uname: "MINGW64_NT-10.0 x86_64", without: "unzip", env: "SYSTEMROOT=WINDOWS", says: "windows_amd64.zip"},
		{name: "32 bits", uname: "Linux i686", code: 3, says: "no release for Linux on i686"},
		{name: "another system", uname: "FreeBSD amd64", code: 3, says: "no release for FreeBSD on amd64"},

		{name: "wget", uname: linux, without: "curl", says: "linux_amd64.tar.gz"},
		{name: "shasum", uname: linux, without: "sha256sum", says: "linux_amd64.tar.gz"},
		{name: "openssl", uname: linux, without: "sha256sum shasum", says: "linux_amd64.tar.gz"},
		{name: "no program to download", uname: linux, without: "curl wget", code: 1, says: "Install one of them"},
		{name: "no program for checksums", uname: linux, without: "sha256sum shasum openssl", code: 1, says: "None of sha256sum, shasum and openssl"},
		{name: "no tar", uname: linux, without: "tar", code: 1, says: "tar is not there"},
		{name: "no unzip", uname: "MINGW64_NT-10.0 x86_64", without: "unzip", code: 1, says: "unzip is not there"},

		{name: "another version", uname: linux, args: "--version 9.9.9", code: 3, says: `v9.9.9/checksums.txt: curl: \(22\).* 404.*See whether`},
		{name: "another version by wget", uname: linux, args: "--version v9.9.9", without: "curl", code: 3, says: "v9.9.9/checksums.txt: .*404.*See whether"},
		{name: "no archive for it", uname: linux, breaks: "rm *linux_amd64*", code: 3, says: "Cannot download .*_linux_amd64.tar.gz: "},
		{name: "nobody answers", uname: linux, env: "CRSCORE_URL=http://127.0.0.1:9/a/crscore", code: 3, says: "Cannot download http://127.0.0.1:9/.*(refused|connect)"},
		{name: "nobody answers wget", uname: linux, without: "curl", env: "CRSCORE_URL=http://127.0.0.1:9/a/crscore", code: 3, says: "Cannot download http://127.0.0.1:9/.*refused"},
		{name: "another protocol", uname: linux, env: "CRSCORE_URL=file:///a/crscore", code: 2, says: "begin with https://"},
		{name: "another protocol for git", uname: linux, args: "--commit COMMIT", env: "CRSCORE_URL=ext::touch x", code: 2, says: "begin with https://"},
		{name: "nobody answers git", uname: linux, args: "--commit COMMIT", env: "CRSCORE_URL=http://127.0.0.1:9/a/crscore", code: 3, says: "Cannot ask http://127.0.0.1:9/a/crscore for the commit .*127.0.0.1"},
		{name: "a wrong checksum", uname: linux, breaks: "echo x >> *_linux_amd64.tar.gz", code: 1, says: "has not the checksum"},
		{name: "no checksum", uname: linux, breaks: "sed -i /linux_amd64/d checksums.txt", code: 1, says: "checksums.txt .* does not name crscore_0.1.0_linux_amd64.tar.gz"},
		{name: "checksums of binary files without an end", uname: linux, breaks: `s=$(sed 's/  / */' checksums.txt | grep linux_amd64) && printf %s "$s" > checksums.txt`, says: "linux_amd64.tar.gz"},
		{name: "no command", uname: linux, breaks: repack("touch crscore LICENSE && tar() { command tar -czf \"$2\" LICENSE; }"), code: 1, says: "Cannot unpack crscore of .*Not found in archive"},
		{name: "a broken archive", uname: linux, breaks: "head -c 100 *_linux_amd64.tar.gz > x && mv x *_linux_amd64.tar.gz && sha256sum *.tar.gz > checksums.txt", code: 1, says: "Cannot unpack crscore"},
		{name: "for another processor", uname: linux, breaks: repack(elf), code: 1, says: "program for another system than linux on amd64"},
		{name: "for another system", uname: linux, breaks: repack("printf 'MZ0123456789012345678901' > crscore"), code: 1, says: "for another system"},
		{name: "empty", uname: linux, breaks: repack(": > crscore"), code: 1, says: "for another system"},
		{name: "a command that fails", uname: linux, breaks: repack(`printf '#!/bin/sh\necho one; printf "no \033[1mAVX\\n" >&2; exit 7\n' > crscore`), code: 1,
			says: `does not run here \(exit code 7\): no \[1mAVX\. Nothing`},
		{name: "a command that is killed", uname: linux, breaks: repack(`printf '#!/bin/sh\nkill -ILL $$\n' > crscore`), code: 1, says: `does not run here \(exit code 132\)`},

		{name: "a folder with blanks", uname: linux, args: "--dir HOME/a;b'$(touch_x)/c d", says: "linux_amd64.tar.gz"},
		{name: "a folder below this one", uname: linux, args: "--dir -sub/bin", says: "linux_amd64.tar.gz"},
		{name: "a folder that cannot be written", uname: linux, args: "--dir /proc/bin", code: 1, says: "Cannot write into /proc/bin: .*another folder with --dir"},
		{name: "a file for a folder", uname: linux, args: "--dir HOME/file", code: 1, says: "Cannot write into .*/file: "},
		{name: "a folder of the command's name", uname: linux, args: "--dir HOME/taken", code: 1, says: "taken/crscore is a folder"},
		{name: "no home", uname: linux, env: "HOME=", code: 2, says: "HOME is not set"},
		{name: "no home, and a folder", uname: linux, env: "HOME=", args: "--dir HOME/x", says: "linux_amd64.tar.gz"},
		{name: "no such flag", uname: linux, args: "--dri x", code: 2, says: "no flag --dri"},
		{name: "no value", uname: linux, args: "--dir", code: 2, says: "--dir needs a value"},
		{name: "a version that is none", uname: linux, args: "--version ../../x", code: 2, says: "--version is ../../x"},
		{name: "a key that is none", uname: linux, env: "CRSCORE_KEY=RWQ", code: 2, says: "CRSCORE_KEY is RWQ. It has to be"},
		{name: "a commit that is none", uname: linux, args: "--commit --upload-pack=x", code: 2, says: "--commit is --upload-pack"},
		{name: "no commit", uname: linux, args: "--commit ", code: 2, says: "--commit is nothing"},
		{name: "the release's commit", uname: linux, args: "--commit COMMIT", says: "linux_amd64.tar.gz"},
		{name: "another commit", uname: linux, args: "--commit 0123456789", code: 3, says: "is not of the commit 0123456789"},
		{name: "a commit without git", uname: linux, args: "--commit COMMIT", without: "git", code: 1, says: "git is not there"},
	}
}

// TestInstall runs install.sh in each shell against a server with releases. After a failure
// nothing has changed, and one line tells why.
func TestInstall(t *testing.T) {
	need(t, append(strings.Fields(tools), "dash", "busybox")...)
	repository := source(t, "install.sh")
	commit := strings.TrimSpace(sh(t, repository, gitEnv, "git rev-parse HEAD"))
	good := release(t, program+"exit\nARCHIVE\n")
	var dir string
	var asked []string
	server := serve(t, &dir, &asked)
	for i, c := range installCases() {
		for j, shell := range shells {
			if i > 0 && i%len(shells) != j && !*everyShell {
				continue // a case in one of them takes a tenth of a second
			}
			t.Run(c.name+"/"+shell, func(t *testing.T) {
				dir, asked = good, nil
				if c.breaks != "" {
					dir = t.TempDir()
					sh(t, dir, []string{"GOOD=" + good}, `cp "$GOOD"/* . && `+c.breaks)
				}
				home, bin := t.TempDir(), machine(t, c.uname, c.without)
				write(t, bin, map[string]string{"Windows/System32/tar.exe": "#!/bin/sh\n[ \"$1\" = -xf ] && exec /usr/bin/unzip -q \"$2\" \"$3\"\n"})
				at := filepath.Join(home, ".local/bin") // where the command is to be
				for _, folder := range []string{".local/bin", "x", "sub dir", "a;b'$(touch_x)/c d"} {
					write(t, home, map[string]string{folder + "/crscore": "#!/bin/sh\necho old\n"})
				}
				write(t, home, map[string]string{"file": "", "taken/crscore/file": ""})
				args := []string{filepath.Join(root, "install.sh")}
				for i, arg := range strings.SplitN(c.args, " ", 2) {
					arg = strings.NewReplacer("HOME", home, "COMMIT", commit).Replace(arg)
					if i == 1 && strings.HasPrefix(c.args, "--dir") {
						if at = arg; !filepath.IsAbs(arg) {
							at = filepath.Join(home, arg)
						}
					}
					if c.args != "" {
						args = append(args, arg)
					}
				}
				before := tree(t, home)
				code, out, errs := runInstall(t, strings.Fields(shell), args, home, append([]string{"PATH=" + bin, "HOME=" + home, "CRSCORE_URL=" + server.URL + "/a/crscore",
					"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + repository + ".insteadOf", "GIT_CONFIG_VALUE_0=" + server.URL + "/a/crscore"},
					strings.ReplaceAll(c.env, "WINDOWS", filepath.Join(bin, "Windows"))))
				if code != c.code {
					t.Fatalf("exit code %d, want %d:\n%s%s", code, c.code, out, errs)
				}
				if code != 0 {
					if !regexp.MustCompile(c.says).MatchString(errs) || strings.Count(errs, "\n") != 1 || !strings.HasSuffix(errs, ".\n") || strings.Contains(errs, "\x1b") || out != "" {
						t.Errorf("it says %q and %q, want one line with %q", errs, out, c.says)
					}
					if after := tree(t, home); after != before {
						t.Errorf("it leaves\n%s", after)
					}
					return
				}
				name := "crscore"
				if strings.HasSuffix(c.says, ".zip") {
					name += ".exe"
				}
				b, err := os.ReadFile(filepath.Join(at, name))
				if err != nil || !strings.HasSuffix(string(b), "_"+c.says+"\n") || !strings.Contains(out, "is installed, and its checksum is right: "+filepath.Join(at, name)+"\nNo signature was checked") ||
					!strings.Contains(out, "is not on PATH") || errs != "" {
					t.Errorf("%s is %q (%v):\n%s%s", at, b, err, out, errs)
				}
				if info, err := os.Stat(filepath.Join(at, name)); err != nil || info.Mode() != 0o755 {
					t.Errorf("its mode is %v (%v)", info.Mode(), err)
				}
				if left, err := filepath.Glob(filepath.Join(at, ".*")); err != nil || len(left) > 0 {
					t.Errorf("it leaves %v (%v)", left, err)
				}
			})
		}
	}
}

// TestInstallHint: the line for a profile that install.sh prints puts the folder, and no more, on
// PATH, whatever its name is.
func TestInstallHint(t *testing.T) {
	need(t, append(strings.Fields(tools), "dash", "busybox")...)
	dir, asked := release(t, program), []string{}
	server := serve(t, &dir, &asked)
	for i, name := range []string{"plain", "two  blanks", "a'quote''s'", `two "quotes"`, "$HOME $(touch ran)", "`touch ran`", `back\slash\`, "!bang & ; * ~", "two\nlines", "'"} {
		home, shell := t.TempDir(), shells[i%len(shells)]
		folder := filepath.Join(home, name)
		code, out, errs := runInstall(t, strings.Fields(shell), []string{filepath.Join(root, "install.sh"), "--dir", folder}, home,
			[]string{"PATH=" + machine(t, "Linux x86_64", ""), "HOME=" + home, "CRSCORE_URL=" + server.URL + "/a/crscore"})
		_, line, found := strings.Cut(out, "profile of your shell:\n  ")
		if code != 0 || !found || errs != "" {
			t.Errorf("%q: exit code %d:\n%s%s", name, code, out, errs)
			continue
		}
		write(t, home, map[string]string{"profile": line})
		for _, reads := range shells {
			code, out, errs := runInstall(t, strings.Fields(reads), []string{"-c", `. ./profile && printf %s "$PATH"`}, home, []string{"PATH=/usr/bin:/bin"})
			if want := folder + ":/usr/bin:/bin"; code != 0 || out != want || errs != "" {
				t.Errorf("%q in %s: exit code %d, PATH is %q, want %q: %s", name, reads, code, out, want, errs)
			}
		}
		if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
			t.Errorf("%q is run", name)
		}
	}
	home := t.TempDir()
	_, out, _ := runInstall(t, []string{"dash"}, []string{filepath.Join(root, "install.sh"), "--dir", filepath.Join(home, "a:b")}, home,
		[]string{"PATH=" + machine(t, "Linux x86_64", ""), "HOME=" + home, "CRSCORE_URL=" + server.URL + "/a/crscore"})
	if strings.Contains(out, "export") || !strings.Contains(out, "its name has a colon") {
		t.Errorf("a folder with a colon: %s", out)
	}
}

// runInstall runs a script with a shell of this machine and nothing else of its environment.
func runInstall(t *testing.T, shell, args []string, dir string, env []string) (code int, out, errs string) {
	t.Helper()
	cmd := exec.Command(shell[0], append(slices.Clone(shell[1:]), args...)...)
	cmd.Dir, cmd.Env = dir, append([]string{"CRSCORE_KEY="}, env...)
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// TestInstallWget: BusyBox's own TLS says that it checks no certificate, and then nothing is
// installed. It does not speak with Go's server, so a script prints its message. The line is
// not empty either if wget prints nothing.
func TestInstallWget(t *testing.T) {
	need(t, "dash")
	for _, c := range []struct {
		wget string
		code int
		says string
	}{
		{"echo 'wget: note: TLS certificate validation not implemented' >&2", 1, "does not check the server's certificate. Nothing"},
		{"exit 139", 3, "checksums.txt: wget ended with 139. See"},
	} {
		home, bin := t.TempDir(), machine(t, "Linux x86_64", "curl wget")
		write(t, bin, map[string]string{"wget": "#!/bin/sh\n" + c.wget + "\n"})
		code, _, errs := runInstall(t, []string{"dash"}, []string{filepath.Join(root, "install.sh")}, home, []string{"PATH=" + bin, "HOME=" + home})
		if code != c.code || !strings.Contains(errs, c.says) || tree(t, home) != "" {
			t.Errorf("%s: exit code %d: %s", c.wget, code, errs)
		}
	}
}

// TestInstallAfterKill: what an installation has left that was killed is in nobody's way. The
// next one in a container has its process number.
func TestInstallAfterKill(t *testing.T) {
	need(t, "dash", "mktemp")
	dir, asked, home := release(t, program), []string{}, t.TempDir()
	code, _, errs := runInstall(t, []string{"dash"}, []string{"-c", `mkdir -p .local/bin/.crscore-install-$$ && exec dash "$0"`, filepath.Join(root, "install.sh")}, home,
		[]string{"PATH=" + machine(t, "Linux x86_64", "") + ":/bin", "HOME=" + home, "CRSCORE_URL=" + serve(t, &dir, &asked).URL + "/a/crscore"})
	if code != 0 || errs != "" {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// TestInstallCut: a download that breaks off after any of its lines installs nothing, and
// changes nothing.
func TestInstallCut(t *testing.T) {
	need(t, "dash")
	dir, asked := t.TempDir(), []string{}
	server := serve(t, &dir, &asked)
	home, script := t.TempDir(), read(t, "install.sh")
	env := []string{"CRSCORE_KEY=", "PATH=" + machine(t, "Linux x86_64", ""), "HOME=" + home, "CRSCORE_URL=" + server.URL + "/a/crscore"}
	run := func(script string) int {
		cmd := exec.Command("dash", "-s", "--", "--dir", home+"/x")
		cmd.Stdin, cmd.Env, cmd.Dir = strings.NewReader(script), env, home
		_ = cmd.Run() // most have a syntax error
		return cmd.ProcessState.ExitCode()
	}
	cut := ""
	for line := range strings.Lines(script) {
		run(cut + line[:len(line)/2])
		if len(asked) > 0 || tree(t, home) != "" {
			t.Fatalf("it ran before %q", line)
		}
		cut += line
	}
	if code := run(script); code != 3 || len(asked) != 1 {
		t.Errorf("the whole script: exit code %d, asked for %v", code, asked)
	}
}

// TestInstallStops: an installation that is ended, and one on a full disk, leave what was there.
func TestInstallStops(t *testing.T) {
	need(t, "dash", "unshare")
	home, waits := t.TempDir(), filepath.Join(t.TempDir(), "waits")
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := os.WriteFile(waits, nil, 0o644); err != nil {
			t.Error(err)
		}
		<-r.Context().Done()
	}))
	defer slow.Close()
	env := []string{"TOOLS=" + machine(t, "Linux x86_64", ""), "HOME=" + home, "CRSCORE_URL=" + slow.URL, "SCRIPT=" + filepath.Join(root, "install.sh"), "WAITS=" + waits}
	out := sh(t, home, env, `set -m
dash=$(command -v dash)
PATH=$TOOLS "$dash" "$SCRIPT" & pid=$!
for i in {1..600}; do [ ! -e "$WAITS" ] || break; sleep 0.1; done
kill -TERM -- -$pid; wait $pid || echo "code $?"
find . -name '*crscore*' -o -name bin`)
	if !strings.HasSuffix(out, "code 143\n") {
		t.Error(out)
	}

	if os.Getuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	for _, disk := range []string{"size=8k", "size=64k", "ro"} { // no room for the archive, none for the command, none at all
		big := release(t, program+"#"+strings.Repeat("x", 100_000)+"\n")
		var asked []string
		code, _, errs := runInstall(t, []string{"unshare"}, []string{"--mount", "/bin/bash", "-c",
			`/bin/mount -t tmpfs -o size=64k none "$HOME" && echo old > "$HOME/crscore" && /bin/mount -o remount,` + disk + ` "$HOME"
dash "$0" --dir "$HOME" && exit 9; code=$?; ls -A "$HOME" >&2; cat "$HOME/crscore" >&2; exit $code`, filepath.Join(root, "install.sh")}, "/",
			[]string{"PATH=" + machine(t, "Linux x86_64", "") + ":/bin:/usr/bin", "HOME=" + home, "CRSCORE_URL=" + serve(t, &big, &asked).URL + "/a/crscore"})
		if code != 1 || !regexp.MustCompile(`^install.sh: .*(no room|disk is full|Read-only file system.*another folder).*\ncrscore\nold\n$`).MatchString(errs) {
			t.Errorf("%s: exit code %d: %s", disk, code, errs)
		}
	}
}

// TestInstallShell lints the scripts that users run.
func TestInstallShell(t *testing.T) {
	need(t, "shellcheck")
	sh(t, root, nil, "shellcheck --enable=quote-safe-variables install.sh")
}

// TestInstallPage types the lines for Linux of the README and of docs/install.md, with a local
// server in the place of the address.
func TestInstallPage(t *testing.T) {
	need(t, "curl", "sha256sum")
	address := regexp.MustCompile(`CRSCORE_URL:-(.*)\}`).FindStringSubmatch(read(t, "install.sh"))[1]
	lines := regexp.MustCompile(`(?m)^curl -fsSL .* \| sh$`).FindString(read(t, "README.md")) + "\nrm -r ~/.local\n"
	for _, m := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(read(t, "docs/install.md"), -1) {
		lines += m[1]
	}
	dir := release(t, "#!/bin/sh\nexec "+crscore(t)+" \"$@\"\n")
	write(t, dir, map[string]string{"install.sh": read(t, "install.sh")}) // as the release has it
	var asked []string
	server, home := serve(t, &dir, &asked), t.TempDir()
	out := sh(t, home, []string{"HOME=" + home, "PATH=" + filepath.Join(home, ".local/bin") + ":" + os.Getenv("PATH"), "CRSCORE_URL=" + server.URL + "/a/crscore"},
		strings.ReplaceAll(lines, address, server.URL+"/a/crscore"))
	for _, want := range []string{"/.local/bin/crscore\n", "/tools/bin/crscore\n", "_linux_amd64.tar.gz: OK\n", "crscore " + version(t)} {
		if !strings.Contains(out, want) {
			t.Errorf("they do not say %q:\n%s", want, out)
		}
	}
	if left := sh(t, home, nil, "find . -type f | sort"); !strings.Contains(left, "./.local/share/bash-completion/completions/crscore") || strings.Contains(left, ".local/bin/crscore") {
		t.Errorf("they leave\n%s", left)
	}
	if len(asked) != 3+3+3+2 {
		t.Errorf("they asked for %v", asked)
	}
}

// TestInstallBuilt installs from the archives that make release-builds has made, if they are
// there.
func TestInstallBuilt(t *testing.T) {
	need(t, "dash")
	name := fmt.Sprintf("crscore_*_linux_%s.tar.gz", runtime.GOARCH)
	dist := filepath.Join(root, "dist")
	found, err := filepath.Glob(filepath.Join(dist, name))
	if err != nil || len(found) != 1 {
		t.Skip("make release-builds has made no archive")
	}
	named := strings.Split(filepath.Base(found[0]), "_")[1]
	server := httptest.NewServer(http.StripPrefix("/releases/download/v"+named, http.FileServer(http.Dir(dist))))
	defer server.Close()
	home := t.TempDir()
	out := sh(t, home, []string{"HOME=" + home, "CRSCORE_URL=" + server.URL, "VERSION=" + named, "SCRIPT=" + filepath.Join(root, "install.sh")},
		`dash "$SCRIPT" --version "$VERSION" && .local/bin/crscore version`)
	if !strings.Contains(out, "is installed") || !strings.Contains(out, "crscore "+version(t)) {
		t.Error(out)
	}
}
