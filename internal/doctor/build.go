package doctor

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"crscore"
	"crscore/internal/report"
	"crscore/internal/spelling"
	"crscore/internal/syntax"
	"crscore/sts"
	"crscore/sts/builtin"
)

// Build is what determines the scores of this program, and its speed. Its JSON may get new fields;
// none is renamed.
type Build struct {
	// Version is that of crscore.
	Version   string `json:"version"`
	Signature string `json:"signature"` // of the default engine
	// ShortSignature is the short form of Signature.
	ShortSignature string `json:"short_signature"`
	// Go made the program, for OS and Arch.
	Go   string `json:"go"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	// Level is the least processor that the build needs, such as GOAMD64=v1.
	Level string   `json:"level,omitempty"`
	CGO   bool     `json:"cgo"`            // C is called
	Tags  []string `json:"tags,omitempty"` // of the build
	// Commit and CommitTime (RFC 3339) are not known of a build outside a repository.
	Commit     string `json:"commit,omitempty"`
	CommitTime string `json:"commit_time,omitempty"`
	Modified   bool   `json:"modified,omitempty"`
	// SIMD and ONNXRuntime make transformers fast.
	SIMD        bool   `json:"simd"`
	ONNXRuntime bool   `json:"onnxruntime"`
	Hugot       string `json:"hugot,omitempty"`
	Model       struct {
		Name   string `json:"name"`
		SHA256 string `json:"sha256"`
	} `json:"model"`
}

// BuildOf describes this program, whose default engine has the signature. The linker may have set the
// commit, which ends in "+dirty" for other sources than its own, and the commit's time.
func BuildOf(signature, commit, commitTime string) (*Build, error) {
	v := &Build{
		Version: crscore.Version, Signature: signature, ShortSignature: report.ShortSignature(signature),
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, SIMD: sts.SIMD(), ONNXRuntime: sts.ORT(),
	}
	v.Model.Name = builtin.Name
	var err error
	if v.Model.SHA256, err = builtin.Checksum(builtin.Model()); err != nil {
		return nil, fmt.Errorf("the built-in model: %w", err)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.read(info, commit, commitTime)
	}
	return v, nil
}

// read takes the build information that the Go command wrote into the binary.
func (v *Build) read(info *debug.BuildInfo, commit, commitTime string) {
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Commit = setting.Value
		case "vcs.time":
			v.CommitTime = setting.Value
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		case "-tags":
			v.Tags = strings.Split(setting.Value, ",")
		case "CGO_ENABLED":
			v.CGO = setting.Value == "1"
		case "GOAMD64", "GOARM64":
			v.Level = setting.Key + "=" + setting.Value
		}
	}
	if commit != "" {
		v.Commit, v.Modified = strings.CutSuffix(commit, "+dirty")
		v.CommitTime = commitTime
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/knights-analytics/hugot" {
			v.Hugot = m.Version
		}
	}
}

// Print writes the build as text.
func (v *Build) Print(b *bytes.Buffer) {
	fmt.Fprintf(b, "crscore %s\n%s\n", v.Version, v.Signature)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	row := func(name, value string) { fmt.Fprintf(w, "%s\t%s\n", name, value) }
	row("short signature", v.ShortSignature)
	built := []string{fmt.Sprintf("%s %s/%s", v.Go, v.OS, v.Arch)}
	if v.Level != "" {
		built = append(built, v.Level)
	}
	row("built", strings.Join(append(built, spelling.Either(v.CGO, "cgo", "no cgo")), ", "))
	row("tags", spelling.Either(len(v.Tags) > 0, strings.Join(v.Tags, ", "), "none"))
	if syntax.Grammars != "" {
		row("grammars", "without those that the signature names: files of these languages are read line by line")
	}
	if v.Commit != "" {
		row("commit", v.Commit+spelling.Either(v.Modified, ", modified", ""))
	}
	if v.CommitTime != "" {
		row("commit time", v.CommitTime)
	}
	row("simd", spelling.Either(v.SIMD, "yes", "no: transformers run several times faster from make build, on amd64"))
	row("onnxruntime", spelling.Either(v.ONNXRuntime, "yes", "no: build with the tag ort"))
	row("hugot", spelling.Either(v.Hugot != "", v.Hugot, "unknown"))
	row("model", v.Model.Name+" sha256:"+v.Model.SHA256)
	w.Flush()
}
