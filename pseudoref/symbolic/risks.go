package symbolic

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// risk is what follows when a key gets a value; %s stands for the key or the
// value in backticks.
type risk struct {
	key, value *regexp.Regexp
	formats    []outline.Format // none: all that have keys
	rule, what string
}

var yes = regexp.MustCompile(`(?i)^(?:true|yes|on|1)$`)
var no = regexp.MustCompile(`(?i)^(?:false|no|off|0)$`)

// risks are the values that reviewers ask about.
var risks = []risk{
	{key: regexp.MustCompile(`^privileged$`), value: yes, rule: "privileged", what: "a privileged container has full access to its host"},
	{key: regexp.MustCompile(`^allowPrivilegeEscalation$`), value: yes, rule: "privileged", what: "processes in the container may now gain more rights than their parent"},
	{key: regexp.MustCompile(`^hostNetwork$`), value: yes, rule: "privileged", what: "the pod now shares the network of its host"},
	{key: regexp.MustCompile(`^network_mode$`), value: regexp.MustCompile(`^host$`), rule: "privileged", what: "the service now shares the network of its host"},
	{key: regexp.MustCompile(`^runAsNonRoot$`), value: no, rule: "runs-as-root", what: "the container may now run as root"},
	{key: regexp.MustCompile(`^(?:runAsUser|user)$`), value: regexp.MustCompile(`^(?:0|root)$`), rule: "runs-as-root", what: "the container now runs as root"},
	{key: regexp.MustCompile(`^permissions$`), value: regexp.MustCompile(`^write-all$`), rule: "permissions-widened", what: "`write-all` gives the workflow's token write access to everything"},
	{key: regexp.MustCompile(`(?i)^(?:verify_?ssl|ssl_?verify|tls_?verify|strict-?ssl|reject_?unauthorized|ssl_?verification|validate_?certs?|check_?hostname)$`), value: no, rule: "tls-check-disabled", what: "TLS certificates are no longer checked when %s is off"},
	{key: regexp.MustCompile(`(?i)^(?:insecure|insecure_?skip_?(?:tls_?)?verify|allow_?insecure|trust_?server_?certificate)$`), value: yes, rule: "tls-check-disabled", what: "with %s on, insecure connections are accepted"},
	{key: regexp.MustCompile(`(?i)(?:allowed?[_-]?origins?|access-control-allow-origin|cors[._-]?origins?)$`), value: regexp.MustCompile(`^\*$`), rule: "open-cors", what: "every web site may now call this service"},
	{key: regexp.MustCompile(`(?i)^(?:debug|app_debug|debug_mode)$`), value: yes, rule: "debug-enabled", what: "debug mode could show internal details if it reaches production"},
	{key: regexp.MustCompile(`^continue-on-error$`), value: yes, rule: "errors-ignored", what: "a failure there no longer fails the job"},
	{key: regexp.MustCompile(`^allow_failure$`), value: yes, rule: "errors-ignored", what: "a failure of the job no longer fails the pipeline"},
	{key: regexp.MustCompile(`^(?:strict|noImplicitAny|strictNullChecks)$`), value: no, formats: []outline.Format{outline.JSON}, rule: "checks-disabled", what: "the compiler checks less strictly with %s off"},
	{key: regexp.MustCompile(`(?i)(?:url|uri|endpoint|host|registry|server)$`), value: regexp.MustCompile(`^http://(?:[^l1{$]|l[^o]|1[^2])`), rule: "plain-http", what: "the address of %s uses plain HTTP, which is not encrypted"},
}

// gone is what follows when a key is removed.
var gone = map[string]string{
	"livenessProbe":  "a container that hangs is no longer restarted without its liveness probe",
	"readinessProbe": "traffic may reach the container before it is ready without its readiness probe",
	"healthcheck":    "without the health check nobody notices when the service hangs",
	"limits":         "without limits the container can use up the resources of its node",
}

// risks says what follows from the values that an edit brings in.
func (t *teller) risks(e outline.Edit) {
	if e.Moved || e.Renamed {
		return
	}
	if e.New == nil {
		if what := gone[e.Old.Name]; what != "" {
			t.implies(e, "safety-removed", what)
		}
		return
	}
	budget := 500
	e.New.Walk(func(n *outline.Node) {
		if budget--; budget < 0 || n.Kind != outline.Key && n.Kind != outline.Item || n != e.New && e.Old != nil && len(e.Old.Kids) > 0 {
			return
		}
		t.risk(outline.Edit{New: n}, n)
	})
}

func (t *teller) risk(e outline.Edit, n *outline.Node) {
	for _, r := range risks {
		if r.key.MatchString(n.Name) && r.value.MatchString(n.Value) && (len(r.formats) == 0 || contains(r.formats, t.format)) {
			t.implies(e, r.rule, strings.ReplaceAll(r.what, "%s", code(n.Name)))
		}
	}
	if looksSecret(n) {
		name := n.Name
		if n.Kind == outline.Item {
			if name = n.Get("name"); name == "" {
				name, _, _ = strings.Cut(n.Value, "=")
			}
		}
		t.implies(e, "hardcoded-secret", "the value of "+code(name)+" looks like a secret, which should not be kept in the file")
	}
	switch {
	case n.Name == "image" && n.Value != "" && !strings.ContainsAny(n.Value, "${"):
		if name, tag := imageParts(n.Value); (tag == "latest" || tag == "" && len(n.Kids) == 0 && !t.beside(n, "tag") && !t.beside(n, "build")) && (t.dialect == kubernetes || t.dialect == compose || t.dialect == gitlab || t.dialect == workflow || tag == "latest") {
			t.implies(e, "unpinned-version", "the image "+code(name)+" is not pinned to a version, so it can change unnoticed")
		}
	case n.Name == "uses" && (strings.HasSuffix(n.Value, "@master") || strings.HasSuffix(n.Value, "@main")):
		name, branch, _ := strings.Cut(n.Value, "@")
		t.implies(e, "unpinned-version", "the action "+code(name)+" follows the branch "+code(branch)+", so it can change unnoticed")
	case n.Name == "pull_request_target" && t.dialect == workflow:
		t.implies(e, "untrusted-trigger", "with `pull_request_target` the workflow runs with secrets for changes from forks")
	}
}

func (t *teller) beside(n *outline.Node, name string) bool { return n.Parent.Kid(name) != nil }

func contains(fs []outline.Format, f outline.Format) bool {
	for _, x := range fs {
		if x == f {
			return true
		}
	}
	return false
}

var (
	secretKey   = regexp.MustCompile(`(?i)(?:^|[_.-])(?:password|passwd|pwd|secret|api_?key|apikey|access_?key|auth_?token|token|private_?key|client_?secret|secret_?key)s?$|(?:Password|Secret|ApiKey|AccessKey|Token|PrivateKey)$`)
	placeholder = regexp.MustCompile(`(?i)^(?:\$|<|\*|!|%|@|#|\{\{|x{3,}|\.\.\.|https?:|/|null$|none$|true$|false$|your|example|dummy|test|change|replace|placeholder|todo|file:|vault|env|enc\[|arn:|secrets?[./]|ref\+)|[<{$].*[>}]|^\d{1,4}$|_(?:file|path|name)$| `)
)

// looksSecret tells whether a key holds what should not be written down.
func looksSecret(n *outline.Node) bool {
	name, value := n.Name, n.Value
	if n.Kind == outline.Item {
		if name, value = n.Get("name"), n.Get("value"); name == "" {
			name, value, _ = strings.Cut(n.Value, "=")
		}
	}
	return len(value) >= 6 && secretKey.MatchString(name) && !placeholder.MatchString(value) && !strings.EqualFold(value, name)
}
