package findings

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// The parts of SARIF 2.1.0 that are read.
type sarif struct {
	Version string
	Runs    *[]sarifRun // nil when they could not be had
}

type sarifRun struct {
	Tool struct {
		Driver     sarifComponent
		Extensions []sarifComponent
	}
	Artifacts []struct{ Location sarifArtifact }
	// OriginalURIBaseIDs are the folders behind names such as %SRCROOT%.
	OriginalURIBaseIDs map[string]sarifArtifact `json:"originalUriBaseIds"`
	Results            *[]sarifResult           // nil when nothing was looked for
	Invocations        []struct{ ExecutionSuccessful *bool }
}

type sarifComponent struct {
	Name  string
	Rules []sarifRule

	byID map[string]int // the first of each name, made when it is asked for
}

// named finds a rule by its name. It returns an empty rule if there is none. There can be as
// many rules as results.
func (c *sarifComponent) named(id string) sarifRule {
	if c.byID == nil {
		c.byID = make(map[string]int, len(c.Rules))
		for i, r := range c.Rules {
			if _, twice := c.byID[r.ID]; !twice {
				c.byID[r.ID] = i
			}
		}
	}
	if i, ok := c.byID[id]; ok && id != "" {
		return c.Rules[i]
	}
	return sarifRule{}
}

type sarifRule struct {
	ID                   string
	DefaultConfiguration struct{ Level string }
	MessageStrings       map[string]struct{ Text string }
}

type sarifArtifact struct {
	URI       string
	URIBaseID string `json:"uriBaseId"`
	Index     *int
}

type sarifResult struct {
	RuleID    string `json:"ruleId"`
	RuleIndex *int
	Rule      struct {
		ID            string
		Index         *int
		ToolComponent struct{ Index *int }
	}
	Kind, Level, BaselineState string
	Suppressions               []struct{ Status string }
	Message                    struct {
		Text, ID  string
		Arguments []string
	}
	Locations []struct {
		PhysicalLocation struct {
			ArtifactLocation sarifArtifact
			Region           struct{ StartLine, StartColumn, EndLine lineNumber }
		}
	}
}

func readSARIF(text []byte) ([]Finding, error) {
	runs, err := ReadSARIF(text)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, results := range runs {
		for _, r := range results {
			if !r.Aside {
				r.Message = withoutLinks(r.Message)
				found = append(found, r.Finding)
			}
		}
	}
	return found, nil
}

// Result is a result of a SARIF file. Its texts are neither cut nor cleaned.
type Result struct {
	Finding
	// Aside says that the file marks the result as passed, suppressed or gone. The finding
	// is then empty.
	Aside bool
}

// ReadSARIF reads the results of a SARIF file by run, in their order.
func ReadSARIF(text []byte) ([][]Result, error) {
	var log sarif
	if err := DecodeJSON(text, &log); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(log.Version, "2.") {
		return nil, fmt.Errorf("the version is %q, and 2.1.0 is what is known", Text(log.Version, 40))
	}
	if log.Runs == nil {
		return nil, errors.New("it has no list of runs, not even an empty one")
	}
	runs, room := make([][]Result, len(*log.Runs)), limits.FindingsExpanded
	for i := range *log.Runs {
		run := &(*log.Runs)[i]
		if err := run.failed(); err != nil {
			return nil, fmt.Errorf("run %d: %w", i+1, err)
		}
		runs[i] = make([]Result, len(*run.Results))
		for j := range *run.Results {
			r := &(*run.Results)[j]
			rule := run.rule(r)
			severity, ok := r.severity(rule)
			if !ok {
				runs[i][j].Aside = true
				continue
			}
			f := Finding{
				Tool: run.Tool.Driver.Name, Rule: cmp.Or(r.RuleID, r.Rule.ID, rule.ID), Message: r.message(rule), Severity: severity,
			}
			if f.Message == "" {
				return nil, fmt.Errorf("run %d, result %d has no message", i+1, j+1)
			}
			if len(r.Locations) > 0 { // the first is the main one
				at := r.Locations[0].PhysicalLocation
				f.Path = run.path(at.ArtifactLocation)
				f.Line, f.Column, f.EndLine = int(at.Region.StartLine), int(at.Region.StartColumn), int(cmp.Or(at.Region.EndLine, at.Region.StartLine))
			}
			if room -= len(f.Message) + len(f.Path); room < 0 {
				return nil, fmt.Errorf("run %d, result %d: with their messages and paths written out, the results are larger than the limit of %d MiB", i+1, j+1, limits.FindingsExpanded>>20)
			}
			runs[i][j].Finding = f
		}
	}
	return runs, nil
}

// failed reports whether a tool failed, which differs from finding nothing.
func (run *sarifRun) failed() error {
	if run.Results == nil {
		return errors.New("it has no list of results, not even an empty one")
	}
	for _, in := range run.Invocations {
		if in.ExecutionSuccessful != nil && !*in.ExecutionSuccessful {
			return errors.New("the tool says that it did not succeed")
		}
	}
	return nil
}

// rule finds the rule of a result, if the run describes it.
func (run *sarifRun) rule(r *sarifResult) sarifRule {
	c := &run.Tool.Driver
	if e := at(run.Tool.Extensions, r.Rule.ToolComponent.Index); e != nil {
		c = e
	}
	for _, index := range []*int{r.RuleIndex, r.Rule.Index} {
		if rule := at(c.Rules, index); rule != nil {
			return *rule
		}
	}
	return c.named(cmp.Or(r.RuleID, r.Rule.ID))
}

// at returns the element with an index, or nil.
func at[T any](list []T, index *int) *T {
	if index == nil || *index < 0 || *index >= len(list) {
		return nil
	}
	return &list[*index]
}

// severity returns the severity of a result; ok is false for a result that is no finding.
func (r *sarifResult) severity(rule sarifRule) (s Severity, ok bool) {
	if r.BaselineState == "absent" || r.Kind == "pass" || r.Kind == "notApplicable" {
		return "", false
	}
	for _, s := range r.Suppressions {
		if s.Status == "" || s.Status == "accepted" {
			return "", false
		}
	}
	switch level := cmp.Or(r.Level, rule.DefaultConfiguration.Level); {
	case level == "error":
		return Error, true
	case level == "note", level == "none", r.Kind == "informational":
		return Info, true
	}
	return Warning, true
}

// message returns the text of a result or of its rule, with the arguments filled in.
func (r *sarifResult) message(rule sarifRule) string {
	text := r.Message.Text
	if text != "" && len(r.Message.Arguments) == 0 {
		return text
	}
	text = cmp.Or(text, rule.MessageStrings[r.Message.ID].Text)
	if len(text) > 4*limits.FindingText {
		text = text[:4*limits.FindingText]
	}
	pairs := make([]string, 0, 2*len(r.Message.Arguments))
	for i, arg := range r.Message.Arguments {
		if i == 100 {
			break
		}
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", Text(arg, limits.FindingText))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// link matches a link in a message: to a place by its number, as CodeQL writes it, or to a
// URI. Text right behind a name, such as f[0](1), is code.
var link = regexp.MustCompile(`(^|[\s("'])\[((?:[^\[\]\\]|\\.)+)\]\((?:\d+|[a-z]+:[^()\s]*)\)`)

// bracket is one that is no part of a link.
var bracket = regexp.MustCompile(`\\([\[\]])`)

// withoutLinks replaces links in a message by their text.
func withoutLinks(s string) string {
	return bracket.ReplaceAllString(link.ReplaceAllString(s, "$1$2"), "$1")
}

// path returns the path of a file: relative to the root of the source, absolute, or a URI.
func (run *sarifRun) path(a sarifArtifact) string {
	if art := at(run.Artifacts, a.Index); art != nil && a.URI == "" {
		a = art.Location
	}
	uri := a.URI
	for range limits.FindingBases {
		if uri == "" || len(uri) > limits.FindingPath || strings.HasPrefix(uri, "/") || hasScheme(uri) {
			break
		}
		a = run.OriginalURIBaseIDs[a.URIBaseID]
		if a.URI != "" {
			uri = strings.TrimSuffix(a.URI, "/") + "/" + uri
		}
	}
	if hasScheme(uri) {
		return uri
	}
	return unescaped(uri)
}

// hasScheme tells a URI from a path. A scheme has two letters at least: one is a drive.
func hasScheme(s string) bool {
	scheme, _, found := strings.Cut(s, ":")
	return found && len(scheme) > 1 && !strings.ContainsFunc(scheme, func(r rune) bool {
		return !(r|0x20 >= 'a' && r|0x20 <= 'z' || strings.ContainsRune("0123456789+.-", r))
	})
}
