package analyzers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Find looks for a tool and asks for its version. The error is ctx's own, or says that
// the sandbox could not be made.
func Find(ctx context.Context, tool Tool, options Options) (*Analyzer, error) {
	a := &Analyzer{Tool: tool, State: Clean, options: options}
	path, err := look(tool, options)
	if err != nil {
		a.State, a.Reason = Missing, err.Error()
		return a, nil
	}
	a.Path = path
	box, err := newSandbox(tool)
	if err != nil {
		return nil, err
	}
	defer box.remove()
	asked := tool.Version.Args
	if asked == nil {
		asked = []string{"--version"}
	}
	out, err := box.exec(ctx, "", path, asked, options)
	if err != nil {
		return nil, err
	}
	if out.state != Clean {
		a.State, a.Reason = out.state, box.text("asked for its version: "+out.reason)
		return a, nil
	}
	// Some tools print their version on standard error.
	m := tool.Version.Pattern.FindSubmatch(slices.Concat(out.stdout, []byte("\n"), out.stderr))
	if out.status != 0 || m == nil {
		a.State, a.Reason = Failed, box.text(fmt.Sprintf("asked for its version: exit status %d: %s", out.status, out.said()))
		return a, nil
	}
	a.Version = box.text(string(m[1]))
	if compareVersions(a.Version, tool.Version.From) < 0 || compareVersions(a.Version, tool.Version.Before) >= 0 {
		a.State, a.Reason = Unsupported, fmt.Sprintf("version %s is not supported; install a version from %s and before %s", a.Version, tool.Version.From, tool.Version.Before)
	}
	return a, nil
}

// look finds a tool's program: at the path in the options, on PATH, in node_modules.
func look(tool Tool, options Options) (string, error) {
	if why := tool.NotOn[runtime.GOOS]; why != "" {
		return "", fmt.Errorf("crscore cannot run %s on this system: %s", tool.Name, why)
	}
	if path := options.Paths[tool.Name]; path != "" {
		path, err := filepath.Abs(path)
		if err == nil {
			path, err = exec.LookPath(path)
		}
		return path, err
	}
	program := cmp.Or(tool.Program, tool.Name)
	// LookPath returns an error for a program in the current directory, which may
	// belong to the change, so it is not run.
	path, err := exec.LookPath(program)
	if err == nil {
		return filepath.Abs(path)
	}
	if tool.NodeModule != "" {
		for _, dir := range options.NodeModules {
			dir, absErr := filepath.Abs(dir)
			if absErr != nil {
				return "", absErr
			}
			path, nodeErr := exec.LookPath(filepath.Join(dir, filepath.FromSlash(tool.NodeModule)))
			if nodeErr == nil {
				return path, nil
			}
			if !errors.Is(nodeErr, os.ErrNotExist) {
				return "", nodeErr
			}
		}
	}
	if errors.Is(err, exec.ErrNotFound) {
		elsewhere := ""
		if tool.NodeModule != "" {
			elsewhere = ", nor in a node_modules folder that was named"
		}
		err = fmt.Errorf("%s is not on PATH%s; to install it: %s", program, elsewhere, tool.HowToInstall(runtime.GOOS))
	}
	return "", err
}

// compareVersions compares numbers with dots. A missing part is 0.
func compareVersions(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if c := cmp.Compare(part(x, i), part(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

func part(version []string, i int) int {
	if i >= len(version) {
		return 0
	}
	n, _ := strconv.Atoi(version[i]) // the patterns find digits only
	return n
}
