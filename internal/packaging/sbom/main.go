// Command sbom lists the parts of a binary of the command, for a release: it writes a
// CycloneDX document, and the licences of everything that is linked.
//
//	sbom [-version V] [-commit HASH] [-time TIME] -out FOLDER BINARY
//
// The binary itself says what is in it: the Go command wrote the modules into it, and the
// names of its functions tell the grammars. A part without a known licence is an error.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("sbom", flag.ContinueOnError)
	version := flags.String("version", "", "version of the command")
	commit := flags.String("commit", "", "commit that the binary was built of")
	time := flags.String("time", "", "time of the commit (RFC 3339)")
	out := flags.String("out", "", "folder of the files")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || *out == "" {
		return errors.New("usage: sbom [-version V] [-commit HASH] [-time TIME] -out FOLDER BINARY")
	}
	b, err := open(flags.Arg(0))
	if err != nil {
		return err
	}
	b.version, b.commit, b.time = *version, *commit, *time
	parts, err := b.parts()
	if err != nil {
		return fmt.Errorf("%s: %w", flags.Arg(0), err)
	}
	var bom bytes.Buffer
	if err := writeBOM(&bom, b, parts); err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(*out, "crscore.cdx.json"), bom.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(*out, "THIRD-PARTY-LICENSES.txt"), []byte(licences(b, parts)), 0o644)
}

// licences is the text of all licences, the command's own first.
func licences(b *binary, parts []part) string {
	var s strings.Builder
	fmt.Fprintf(&s, "The licences of everything in crscore %s for %s.\n\n", b.version, b.setting("GOOS")+"/"+b.setting("GOARCH"))
	for _, p := range parts {
		fmt.Fprintf(&s, "  %s: %s\n", p.title(), p.licence)
	}
	for _, p := range parts {
		fmt.Fprintf(&s, "\n%s\n%s\n", strings.Repeat("=", 78), p.title())
		if p.from != "" {
			fmt.Fprintln(&s, p.from)
		}
		for _, t := range p.texts {
			fmt.Fprintf(&s, "\n%s\n", strings.TrimSpace(strings.ReplaceAll(t, "\r\n", "\n")))
		}
	}
	return s.String()
}
