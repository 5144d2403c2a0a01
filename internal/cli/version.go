package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/dataset"
	"crscore/internal/doctor"
	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/internal/setup"
	"crscore/internal/stdio"
)

// The linker sets both where a binary is released (-X crscore/internal/cli.commit=...): what
// Go itself writes depends on the tags of a clone, and is not there without one. A commit
// ends in "+dirty" if the sources were not those of the commit.
var commit, commitTime string

func versionCommand(s streams) *cobra.Command {
	var format string
	var signature bool
	var engine engineFlags
	cmd := &cobra.Command{
		Use:   "version [FILE...]",
		Short: "Print the version, the signature of the settings, and how this was built",
		Long: `version prints the version, the signature of the default settings, and how this
program was built.

With --signature it prints the short and the long signature of the settings: those
of your configuration, and of the flags of crscore score for references, scoring and
models. With FILEs of scores, or run directories, it prints the signatures that are
in them. The short signature is the first 12 hex digits of the long one's SHA-256.`,
		Example: `  crscore version
  crscore version --signature
  crscore version --signature --mode soft --claims symbolic
  crscore version --signature scores.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			switch {
			case !signature && len(files) > 0:
				return fmt.Errorf("unexpected argument %q: --signature lists the signatures in files of scores", files[0])
			case signature && len(files) > 0:
				return fileSignatures(s, format, files)
			case signature:
				return settingsSignature(cmd, s, format, &engine)
			}
			for _, name := range engine.names() {
				if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
					return fmt.Errorf("--%s is for version --signature", name)
				}
			}
			return printVersion(cmd, s, format)
		},
	}
	choose(cmd, &format, "format", "text", "`FORMAT` of the output: text or json", "text", "json")
	cmd.Flags().BoolVar(&signature, "signature", false, "print the short and the long signature of the settings, or those in FILEs of scores")
	engine.add(cmd)
	for _, name := range engine.names() {
		cmd.Flags().Lookup(name).Hidden = true // they are those of score
	}
	return cmd
}

func printVersion(cmd *cobra.Command, s streams, format string) error {
	e, err := crscore.New(cmd.Context(), crscore.Options{})
	if err != nil {
		return err
	}
	defer e.Close()
	v, err := doctor.BuildOf(e.Signature(), commit, commitTime)
	if err != nil {
		return err
	}
	return s.printValue(format, v, v.Print)
}

// signaturePair is a signature in both forms.
type signaturePair struct {
	Short string `json:"short"`
	Long  string `json:"signature"`
	// Scores is the number of scores that have it, where files were read.
	Scores int `json:"scores,omitempty"`
}

// settingsSignature prints the signature of the flags and the configuration.
func settingsSignature(cmd *cobra.Command, s streams, format string, engine *engineFlags) error {
	if err := engine.readConfig(cmd, setup.Paths, ""); err != nil {
		return err
	}
	e, err := engine.engine(cmd.Context(), cmd)
	if err != nil {
		return err
	}
	defer e.Close()
	return printSignatures(s, format, []signaturePair{{Short: report.ShortSignature(e.Signature()), Long: e.Signature()}})
}

// fileSignatures prints the signatures in files of scores.
func fileSignatures(s streams, format string, files []string) error {
	var pairs []signaturePair
	at := map[string]int{}
	malformed := 0
	for _, file := range files {
		n, err := eachScore(s, file, func(sc dataset.Score) error {
			if sc.Signature == "" {
				return nil
			}
			i, ok := at[sc.Signature]
			if !ok {
				if len(pairs) == limits.FileSignatures {
					return fmt.Errorf("more than %d signatures", limits.FileSignatures)
				}
				i = len(pairs)
				at[sc.Signature] = i
				pairs = append(pairs, signaturePair{Short: report.ShortSignature(sc.Signature), Long: sc.Signature})
			}
			pairs[i].Scores++
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", stdio.Name(file), err)
		}
		malformed += n
	}
	if len(pairs) == 0 {
		return fmt.Errorf("%s: no score has a signature: give the output of crscore score --data", stdio.Name(files[0]))
	}
	if err := printSignatures(s, format, pairs); err != nil {
		return err
	}
	return joinMissing([]error{absent("malformed lines", malformed)})
}

// printSignatures prints a signature a line, the short form first.
func printSignatures(s streams, format string, pairs []signaturePair) error {
	return s.printValue(format, pairs, func(b *bytes.Buffer) {
		for _, p := range pairs {
			fmt.Fprintf(b, "%s  %s\n", p.Short, report.Plain(p.Long))
		}
	})
}
