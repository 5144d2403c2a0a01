package analyzers

import (
	"slices"

	"crscore/analyzers/adapter"
	"crscore/analyzers/checkstyle"
	"crscore/analyzers/clangtidy"
	"crscore/analyzers/cppcheck"
	"crscore/analyzers/eslint"
	"crscore/analyzers/golangcilint"
	"crscore/analyzers/govet"
	"crscore/analyzers/jshint"
	"crscore/analyzers/phpcs"
	"crscore/analyzers/phpmd"
	"crscore/analyzers/pmd"
	"crscore/analyzers/pylint"
	"crscore/analyzers/radon"
	"crscore/analyzers/rubocop"
	"crscore/analyzers/shellcheck"
	"crscore/analyzers/staticcheck"
)

// tools are all adapters, one on each line, ordered by name.
var tools = []adapter.Tool{
	checkstyle.Tool(),
	clangtidy.Tool(),
	cppcheck.Tool(),
	eslint.Tool(),
	golangcilint.Tool(),
	govet.Tool(),
	jshint.Tool(),
	phpcs.Tool(),
	phpmd.Tool(),
	pmd.Tool(),
	pylint.Tool(),
	radon.Tool(),
	rubocop.Tool(),
	shellcheck.Tool(),
	staticcheck.Tool(),
}

// All returns all tools, ordered by name.
func All() []Tool { return slices.Clone(tools) }

// Lookup finds a tool by its name.
func Lookup(name string) (Tool, bool) {
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return tools[i], true
}
