package cli

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/report"
	"crscore/sts"
	"crscore/sts/builtin"
)

// versionInfo is what version prints: what shapes the numbers of this binary, and how
// fast it is.
type versionInfo struct {
	Version   string `json:"version"`
	Signature string `json:"signature"` // of the default engine
	Go        string `json:"go"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	Commit    string `json:"commit,omitempty"` // none in a build outside a repository
	Modified  bool   `json:"modified,omitempty"`
	// SIMD and ONNXRuntime are what makes transformers fast.
	SIMD        bool   `json:"simd"`
	ONNXRuntime bool   `json:"onnxruntime"`
	Hugot       string `json:"hugot,omitempty"`
	Model       struct {
		Name   string `json:"name"`
		SHA256 string `json:"sha256"`
	} `json:"model"`
}

func versionCommand(s streams) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the signature of the default engine, and how this was built",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: choose text or json", format)
			}
			e, err := crscore.New(cmd.Context(), crscore.Options{})
			if err != nil {
				return err
			}
			defer e.Close()
			v := versionInfo{
				Version: crscore.Version, Signature: e.Signature(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
				SIMD: sts.SIMD(), ONNXRuntime: sts.ORT(),
			}
			v.Model.Name = builtin.Name
			if v.Model.SHA256, err = builtin.Checksum(builtin.Model()); err != nil {
				return fmt.Errorf("the built-in model: %w", err)
			}
			if info, ok := debug.ReadBuildInfo(); ok {
				v.read(info)
			}
			var b bytes.Buffer
			if format == "json" {
				err = report.JSON(&b, v, "  ")
			} else {
				err = v.print(&b)
			}
			if err != nil {
				return err
			}
			_, err = s.out.Write(b.Bytes())
			return written(err)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	complete(cmd, "format", "text", "json")
	return cmd
}

// read takes what the Go command wrote into the binary.
func (v *versionInfo) read(info *debug.BuildInfo) {
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Commit = setting.Value
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		}
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/knights-analytics/hugot" {
			v.Hugot = m.Version
		}
	}
}

func (v *versionInfo) print(b *bytes.Buffer) error {
	fmt.Fprintf(b, "crscore %s\n%s\n", v.Version, v.Signature)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	row := func(name, value string) { fmt.Fprintf(w, "%s\t%s\n", name, value) }
	row("built", fmt.Sprintf("%s %s/%s", v.Go, v.OS, v.Arch))
	if v.Commit != "" {
		commit := v.Commit
		if v.Modified {
			commit += ", modified"
		}
		row("commit", commit)
	}
	row("simd", either(v.SIMD, "yes", "no: transformers run several times faster from make build, on amd64"))
	row("onnxruntime", either(v.ONNXRuntime, "yes", "no: build with the tag ort"))
	row("hugot", either(v.Hugot != "", v.Hugot, "unknown"))
	row("model", v.Model.Name+" sha256:"+v.Model.SHA256)
	return w.Flush()
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
