package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// EnvModules names the node_modules folder that .ci/pages installs.
const EnvModules = "CRSCORE_PAGE_MODULES"

// run asks axe-core for the faults of the page. It may not load style sheets again, which a
// page's policy may forbid.
const run = `axe.run({ resultTypes: ["violations"], preload: false }).then(({ violations }) => violations.map(({ id, help, nodes }) =>
	id + ": " + help + ": " + nodes.slice(0, 3).map((n) => n.target.join(" ")).join(", ") + (nodes.length > 3 ? " and " + (nodes.length - 3) + " more" : ""))).finally(() => delete window.axe)`

// axe returns the source of axe-core, or nothing where it is not installed. With CI in the
// environment that is a failure.
func axe(t *testing.T) string {
	t.Helper()
	modules := os.Getenv(EnvModules)
	if modules == "" {
		if os.Getenv("CI") != "" {
			t.Fatal(EnvModules + " does not say where axe-core is")
		}
		return ""
	}
	source, err := os.ReadFile(filepath.Join(modules, "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// violations returns what axe-core, of the source, finds in the page that is open. It comes
// through the browser's protocol, which the page's policy does not bind.
func violations(ctx context.Context, source string) ([]string, error) {
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](source+";\n"+run, chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, fmt.Errorf("axe-core: %w", err)
	}
	return found, nil
}
