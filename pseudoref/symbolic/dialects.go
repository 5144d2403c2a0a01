package symbolic

import (
	"path"
	"strings"

	"crscore/internal/outline"
)

// dialect is what a file of keys is for, which tells what its keys are called.
type dialect string

// The dialects. Others say "key" and "item".
const (
	anyDialect  dialect = ""
	workflow    dialect = "workflow" // of GitHub
	compose     dialect = "compose"
	kubernetes  dialect = "kubernetes"
	gitlab      dialect = "gitlab"
	npm         dialect = "npm"
	cargo       dialect = "cargo"
	pyproject   dialect = "pyproject"
	composer    dialect = "composer"
	openapi     dialect = "openapi"
	environment dialect = "environment"
	tsconfig    dialect = "tsconfig"
	chart       dialect = "chart"
	preCommit   dialect = "pre-commit"
	dependabot  dialect = "dependabot"
)

// dialectOf tells the dialect from the file's name, and where that says nothing
// from its keys.
func dialectOf(file string, format outline.Format, sides ...*outline.Node) dialect {
	base, dir := strings.ToLower(path.Base(file)), "/"+strings.ToLower(path.Dir(file))
	switch {
	case strings.HasSuffix(dir, "/.github/workflows"):
		return workflow
	case base == ".gitlab-ci.yml":
		return gitlab
	case strings.Contains(base, "compose") && format == outline.YAML:
		return compose
	case base == "package.json":
		return npm
	case base == "composer.json":
		return composer
	case base == "cargo.toml":
		return cargo
	case base == "pyproject.toml", base == "pipfile":
		return pyproject
	case strings.HasPrefix(base, ".env"), strings.HasSuffix(base, ".env"):
		return environment
	case strings.HasPrefix(base, "tsconfig") && format == outline.JSON:
		return tsconfig
	case base == "chart.yaml":
		return chart
	case base == ".pre-commit-config.yaml":
		return preCommit
	case base == "dependabot.yml":
		return dependabot
	}
	for _, r := range sides {
		if k := r.Of(outline.Item); len(k) > 0 && k[0].Kid("apiVersion") != nil && k[0].Kid("kind") != nil {
			return kubernetes // of several documents
		}
		has := func(names ...string) bool {
			for _, n := range names {
				if r.Kid(n) == nil {
					return false
				}
			}
			return true
		}
		switch {
		case has("apiVersion", "kind") && format == outline.YAML:
			return kubernetes
		case has("jobs", "on") && format == outline.YAML:
			return workflow
		case has("services") && format == outline.YAML && len(r.Kid("services").Kids) > 0 && (r.Kid("services").Kids[0].Kid("image") != nil || r.Kid("services").Kids[0].Kid("build") != nil):
			return compose
		case has("openapi", "paths"), has("swagger", "paths"):
			return openapi
		case has("name", "dependencies", "version") && format == outline.JSON, has("scripts", "devDependencies"), has("dependencies", "devDependencies") && format == outline.JSON:
			return npm
		case has("package", "dependencies") && format == outline.TOML:
			return cargo
		case has("build-system") || has("project") && format == outline.TOML:
			return pyproject
		case has("compilerOptions"):
			return tsconfig
		}
	}
	return anyDialect
}

// nouns says what the keys and items at a path are called in a dialect. In a
// path, * is any key, ** any number of them, and [] an item of a list.
var nouns = []struct {
	in   dialect
	path string
	noun string
	many string
}{
	{workflow, "jobs.*.steps[]", "step", "steps"},
	{workflow, "**.steps[]", "step", "steps"},
	{workflow, "jobs.*", "job", "jobs"},
	{workflow, "on.*.branches[]", "branch", "branches"},
	{workflow, "on.*", "trigger", "triggers"},
	{workflow, "on[]", "trigger", "triggers"},
	{workflow, "**.env.*", "environment variable", "environment variables"},
	{workflow, "**.with.*", "input", "inputs"},
	{workflow, "**.permissions.*", "permission", "permissions"},
	{workflow, "**.needs[]", "dependency", "dependencies"},
	{compose, "services.*.environment.*", "environment variable", "environment variables"},
	{compose, "services.*.environment[]", "environment variable", "environment variables"},
	{compose, "services.*.ports[]", "port mapping", "port mappings"},
	{compose, "services.*.volumes[]", "volume mount", "volume mounts"},
	{compose, "services.*.depends_on[]", "dependency", "dependencies"},
	{compose, "services.*.depends_on.*", "dependency", "dependencies"},
	{compose, "services.*", "service", "services"},
	{compose, "volumes.*", "volume", "volumes"},
	{compose, "networks.*", "network", "networks"},
	{kubernetes, "**.env[]", "environment variable", "environment variables"},
	{kubernetes, "**.containers[]", "container", "containers"},
	{kubernetes, "**.initContainers[]", "init container", "init containers"},
	{kubernetes, "**.ports[]", "port", "ports"},
	{kubernetes, "**.volumes[]", "volume", "volumes"},
	{kubernetes, "**.volumeMounts[]", "volume mount", "volume mounts"},
	{kubernetes, "**.labels.*", "label", "labels"},
	{kubernetes, "**.annotations.*", "annotation", "annotations"},
	{kubernetes, "rules[]", "rule", "rules"},
	{anyDialect, "**.containers[]", "container", "containers"},
	{gitlab, "stages[]", "stage", "stages"},
	{gitlab, "**.script[]", "command", "commands"},
	{gitlab, "**.variables.*", "variable", "variables"},
	{npm, "scripts.*", "script", "scripts"},
	{npm, "files[]", "published file", "published files"},
	{composer, "scripts.*", "script", "scripts"},
	{cargo, "features.*", "feature", "features"},
	{openapi, "paths.*.*.parameters[]", "parameter", "parameters"},
	{openapi, "paths.*.*.responses.*", "response", "responses"},
	{openapi, "paths.*.*", "operation", "operations"},
	{openapi, "paths.*", "path", "paths"},
	{openapi, "components.schemas.*.properties.*", "property", "properties"},
	{openapi, "components.schemas.*", "schema", "schemas"},
	{openapi, "definitions.*", "schema", "schemas"},
	{environment, "*", "environment variable", "environment variables"},
	{tsconfig, "compilerOptions.*", "compiler option", "compiler options"},
	{preCommit, "repos[]", "hook repository", "hook repositories"},
	{preCommit, "repos[].hooks[]", "hook", "hooks"},
	{anyDialect, "**.environment.*", "environment variable", "environment variables"},
}

// trail is the way from the root to a node, as paths in nouns write it. It
// begins anew below what a hunk leaves open.
func trail(n *outline.Node) []string {
	var out []string
	for p := n; p != nil && p.Kind != outline.Root && p.Type != outline.Document && len(out) < 50; p = p.Parent {
		switch p.Kind {
		case outline.Item:
			out = append(out, "[]")
		default:
			out = append(out, p.Name)
		}
		if p.Loose {
			out = append(out, "?")
			break
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// fits tells whether a trail is on a path.
func fits(pattern string, at []string) bool {
	return fitsParts(strings.Split(strings.ReplaceAll(pattern, "[]", ".[]"), "."), at)
}

func fitsParts(ps, at []string) bool {
	for len(ps) > 0 {
		if ps[0] == "**" {
			return len(at) >= len(ps)-1 && fitsParts(ps[1:], at[len(at)-len(ps)+1:])
		}
		if len(at) == 0 || ps[0] != at[0] && (ps[0] != "*" || at[0] == "[]" || at[0] == "?") {
			return false
		}
		ps, at = ps[1:], at[1:]
	}
	return len(at) == 0
}

// nounOf says what a key or an item is called, and several of them; empty where
// it is only a key or an item.
func (t *teller) nounOf(n *outline.Node) (one, many string) {
	if n == nil || n.Kind != outline.Key && n.Kind != outline.Item {
		return "", ""
	}
	at := trail(n)
	for _, x := range nouns {
		if (x.in == t.dialect || x.in == anyDialect) && fits(x.path, at) {
			return x.noun, x.many
		}
	}
	if t.dialect == gitlab && len(at) == 1 && n.Kid("script") != nil {
		return "job", "jobs"
	}
	return "", ""
}
