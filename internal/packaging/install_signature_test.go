package packaging

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// signer is a key that a test makes and throws away.
type signer struct {
	private ed25519.PrivateKey
	public  string // as minisign prints it
}

// keyNumber stands before keys and signatures of minisign. All keys of the tests have the same.
const keyNumber = "Edthe test"

func newSigner(t *testing.T) signer {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return signer{private, base64.StdEncoding.EncodeToString(slices.Concat([]byte(keyNumber), public))}
}

// sign writes the signature of a release's checksums, as minisign -l does.
func (s signer) sign(t *testing.T, dir string) {
	t.Helper()
	sums, err := os.ReadFile(filepath.Join(dir, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	const comment = "of a test"
	signature := ed25519.Sign(s.private, sums)
	whole := ed25519.Sign(s.private, slices.Concat(signature, []byte(comment)))
	write(t, dir, map[string]string{"checksums.txt.minisig": fmt.Sprintf("untrusted comment: x\n%s\ntrusted comment: %s\n%s\n",
		base64.StdEncoding.EncodeToString(slices.Concat([]byte(keyNumber), signature)), comment, base64.StdEncoding.EncodeToString(whole))})
}

// TestInstallSignature: with a key, install.sh takes no checksums that the key has not signed,
// whichever program compares them. Without one it says that no signature was checked.
func TestInstallSignature(t *testing.T) {
	need(t, append(strings.Fields(tools), "dash", "busybox")...)
	good, key, stranger := release(t, program), newSigner(t), newSigner(t)
	key.sign(t, good)
	strange, older := t.TempDir(), t.TempDir()
	sh(t, good, []string{"STRANGE=" + strange, "OLDER=" + older}, `cp checksums.txt "$STRANGE"; sed s/crscore_0.1/crscore_0.0/ checksums.txt > "$OLDER/checksums.txt"`)
	stranger.sign(t, strange)
	key.sign(t, older)
	real := realKey(t, good)

	const unsigned = "is not signed with the key KEY.* Nothing was installed"
	both := []string{"openssl", "minisign"} // what a case lacks
	for _, c := range []struct {
		name, breaks, key, openssl string
		without                    []string
		code                       int
		says                       string
	}{
		{name: "right", key: key.public, without: both, says: "its checksum and signature are right: "},
		{name: "of minisign itself", key: real, breaks: `mv real checksums.txt.minisig`, without: both, says: "its checksum and signature are right: "},
		{name: "of minisign itself, legacy", key: real, breaks: `mv legacy checksums.txt.minisig`, without: both, says: "its checksum and signature are right: "},
		{name: "by another key", key: key.public, breaks: `cp "$STRANGE"/*.minisig .`, without: both, code: 1, says: unsigned},
		{name: "of other checksums", key: key.public, breaks: `echo >> checksums.txt`, without: both, code: 1, says: unsigned},
		{name: "of other checksums, by minisign itself", key: real, breaks: `mv real checksums.txt.minisig && echo >> checksums.txt`, without: both, code: 1, says: unsigned},
		{name: "of an older release", key: key.public, breaks: `cp "$OLDER"/* .`, without: both, code: 1, says: "does not name crscore_"},
		{name: "not there", key: key.public, breaks: `rm checksums.txt.minisig`, without: both, code: 3, says: "Cannot download .*/checksums.txt.minisig: "},
		{name: "empty", key: key.public, breaks: `: > checksums.txt.minisig`, without: both, code: 1, says: "signed with|no signature of minisign"},
		{name: "no base64", key: key.public, breaks: `sed -i '2s/....$/=$(x)/' checksums.txt.minisig`, without: both, code: 1, says: unsigned},
		{name: "a right signature and a wrong archive", key: key.public, breaks: "echo x >> crscore_*_linux_amd64.tar.gz", without: both, code: 1, says: "has not the checksum"},
		{name: "no program", key: key.public, without: []string{"minisign openssl"}, code: 1, says: "Neither minisign nor openssl .* Install minisign"},
		{name: "openssl without Ed25519", key: key.public, openssl: `echo "unknown option '-rawin'" >&2; echo usage: >&2; exit 1`, without: []string{"minisign openssl"}, code: 1,
			says: "This openssl cannot check the signature: unknown option '-rawin'. Nothing was installed. Install minisign"},
		{name: "openssl without BLAKE2", key: real, breaks: `mv real checksums.txt.minisig`, openssl: "exit 1", without: []string{"minisign openssl"}, code: 1, says: "This openssl has no BLAKE2"},
		{name: "no key", breaks: `rm checksums.txt.minisig`, without: []string{"minisign openssl"}, says: "its checksum is right: .*\nNo signature was checked"},
	} {
		for i, without := range c.without {
			shell := shells[(len(c.name)+i)%len(shells)]
			t.Run(c.name+"/without "+without+"/"+shell, func(t *testing.T) {
				dir, home, asked := t.TempDir(), t.TempDir(), []string{}
				sh(t, dir, []string{"GOOD=" + good, "STRANGE=" + strange, "OLDER=" + older}, `cp "$GOOD"/* .
`+c.breaks)
				bin := machine(t, "Linux x86_64", without)
				if c.openssl != "" {
					write(t, bin, map[string]string{"openssl": "#!/bin/sh\n[ $1 = base64 ] && exec cat\n" + c.openssl + "\n"})
				}
				code, out, errs := runInstall(t, strings.Fields(shell), []string{filepath.Join(root, "install.sh")}, home,
					[]string{"PATH=" + bin, "HOME=" + home, "CRSCORE_URL=" + serve(t, &dir, &asked).URL + "/a/crscore", "CRSCORE_KEY=" + c.key})
				said := regexp.MustCompile(strings.Replace(c.says, "KEY", regexp.QuoteMeta(c.key), 1))
				if code != c.code || !said.MatchString(out+errs) || strings.Contains(out, "signature are right") && c.code != 0 {
					t.Errorf("exit code %d, want %d and %q:\n%s%s", code, c.code, said, out, errs)
				}
				if code != 0 && (strings.Count(errs, "\n") != 1 || out != "" || tree(t, home) != "") {
					t.Errorf("it says %q and %q, and leaves %q", errs, out, tree(t, home))
				}
			})
		}
	}
}

// realKey has minisign sign the checksums of a release, to the files real and legacy, and
// returns its public key.
func realKey(t *testing.T, dir string) string {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	out := sh(t, dir, []string{"KEY=" + key}, `minisign -G -W -p "$KEY.pub" -s "$KEY" > "$KEY.said"
minisign -S -s "$KEY" -m checksums.txt -x real >> "$KEY.said"
minisign -S -l -s "$KEY" -m checksums.txt -x legacy >> "$KEY.said"
tail -n 1 "$KEY.pub"`)
	return strings.TrimSpace(out)
}
