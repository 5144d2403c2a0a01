// Package gotool holds what the adapters to tools for Go share. All of them have
// the go command list and compile the packages, so all have the same environment,
// pass over the same files and fail in the same words.
package gotool

import (
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"path"
	"slices"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Tool completes an adapter: it is run in a module, on packages, and keeps the caches that are
// the person's and the tool's own.
//
// In its environment nothing of the analysed code is run, nothing is fetched, and no setting
// but go.mod's counts. Of a go.work nothing is known: it is for work on several modules at a
// time, and may lead out of the project.
//
// Without the cache of modules a project with dependencies could not be analysed; without that
// of builds the standard library would be compiled at each start. What is kept in it goes by
// the checksum of all that it was made from, so no project can leave there what another would
// use.
func Tool(t adapter.Tool, caches ...adapter.Variable) adapter.Tool {
	t.Languages = []lang.Name{lang.Go}
	t.Project = &adapter.Project{Module: "go.mod", Skips: skips}
	t.Env = []string{
		"GO111MODULE=on", "GOENV=off", "GOWORK=off", "GOPROXY=off", "GOVCS=*:off", "GOTOOLCHAIN=local", "CGO_ENABLED=0",
		// No settings of the person, and no telemetry, for which the go command leaves a
		// child behind that no end of its own process group reaches.
		"XDG_CONFIG_HOME=/dev/null",
		// A .hg or .svn in the project must not be asked about. The go command itself
		// decides on -mod, and neither readonly nor vendor changes anything.
		"GOFLAGS=-buildvcs=false",
	}
	t.Keep = append([]adapter.Variable{{Name: "GOPATH", Home: "go"}, {Name: "GOMODCACHE"}, {Name: "GOCACHE", Home: ".cache/go-build"}}, caches...)
	t.Hints = []adapter.Hint{
		{Says: "GOTOOLCHAIN=local", Do: "install that version of Go: none is fetched"},
		{Says: "GOPROXY=off", Do: "fetch the modules first: go mod download"},
		{Says: "missing go.sum entry", Do: "the project's go.sum is not complete, or it needs a go.work, which is not used"},
		{Says: "build constraints exclude all Go files", Do: "cgo is off, and the platform is this machine's"},
	}
	return t
}

// Reason is the first error in what a compiler printed.
func Reason(f findings.Finding) string {
	for line := range strings.Lines(f.Message) {
		if line = strings.TrimSpace(line); line != "" && !heading.MatchString(line) {
			return line
		}
	}
	return "it does not compile"
}

// heading is before the errors of a package: "# example.com/shop", also behind words.
var heading = regexp.MustCompile(`(?:^|: )# \S+$`)

// Prepare makes the comments of a text that would switch rules off mean nothing.
func Prepare(text string) string {
	return silencer.ReplaceAllStringFunc(text, strings.ToUpper)
}

// silencer are the comments of golangci-lint, staticcheck and gosec.
var silencer = regexp.MustCompile(`//\s*nolint|//lint:|#nosec|//\s*gosec:disable`)

// skips says why the go command leaves a file out of its package.
func skips(name, text string) string {
	ctx := build.Default
	ctx.CgoEnabled = false
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	dir, base := path.Split(name)
	if strings.HasPrefix(base, "_") {
		return "Go leaves out files whose name starts with _"
	}
	if ok, err := ctx.MatchFile(dir, base); err == nil && !ok {
		return "its build constraints or its name leave it out on this machine"
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return "" // the tool has its own words for that
	}
	for _, spec := range file.Imports {
		if slices.Contains([]string{`"C"`, "`C`"}, spec.Path.Value) {
			return "it uses cgo, which is off"
		}
	}
	return ""
}
