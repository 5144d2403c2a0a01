package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/spelling"
)

// field takes the value of a key.
type field func(n *yaml.Node) error

// section has the fields of a mapping, by key.
type section map[string]field

// each is a section with the same field for each name.
func each(names []string, take func(name string, n *yaml.Node) error) section {
	s := section{}
	for _, name := range names {
		s[name] = func(n *yaml.Node) error { return take(name, n) }
	}
	return s
}

// reader reads one file.
type reader struct{ File }

// parse reads the text of a file into c. It reads the nodes of YAML itself, because the
// decoder of the library is not strict about types and gives no column in its errors.
func (c *Config) parse(f File, text []byte, names Names) error {
	r := reader{f}
	thresholds := r.section("smells.thresholds", each(names.Thresholds, func(rule string, n *yaml.Node) (err error) {
		c.Thresholds[rule], err = r.number(n)
		return err
	}))
	rules := r.rules("smells", names.Rules, c.Rules)
	claimRules := r.rules("claims", names.ClaimRules, c.ClaimRules)
	ignore := func(n *yaml.Node) (err error) { c.Ignore, err = r.ignore(n, names.Rules); return err }
	top := section{
		"claims": r.section("claims", section{"rules": claimRules}),
		"smells": r.section("smells", section{"thresholds": thresholds, "rules": rules, "ignore": ignore}),
	}
	if !f.Project {
		tools := each(names.Tools, func(tool string, n *yaml.Node) error {
			return r.section("tools."+tool, section{"path": func(n *yaml.Node) (err error) {
				c.Tools.Paths[tool], err = r.path(n)
				return err
			}})(n)
		})
		tools["node_modules"] = func(n *yaml.Node) (err error) { c.Tools.NodeModules, err = r.list(n, r.path); return err }
		tools["timeout"] = func(n *yaml.Node) (err error) { c.Tools.Timeout, err = r.duration(n); return err }
		top = section{
			"claims": r.section("claims", section{
				"sources": func(n *yaml.Node) (err error) { c.Claims, err = r.sources(n); return err },
				"rules":   claimRules,
			}),
			"smells": r.section("smells", section{
				"sources":    func(n *yaml.Node) (err error) { c.Smells, err = r.sources(n); return err },
				"thresholds": thresholds,
				"rules":      rules,
				"ignore":     ignore,
			}),
			"tools": r.section("tools", tools),
		}
	}
	root, err := r.document(text)
	if err != nil || root == nil {
		return err
	}
	return r.section("", top)(root)
}

// document returns the root of the only document, nil if the text is empty.
func (r reader) document(text []byte) (*yaml.Node, error) {
	var doc, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, r.broken(err)
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, r.fault(&second, "a second document begins; there may be one")
	case !errors.Is(err, io.EOF):
		return nil, r.broken(err)
	}
	if len(doc.Content) != 1 {
		return nil, nil
	}
	return doc.Content[0], nil
}

var lineOf = regexp.MustCompile(`^line (\d+): `)

// broken is the error for a text that is not YAML. The library gives no column, and its
// line can be the line before, so the error says "near line".
func (r reader) broken(err error) error {
	msg, near := strings.TrimPrefix(err.Error(), "yaml: "), ""
	if m := lineOf.FindStringSubmatch(msg); m != nil {
		msg, near = msg[len(m[0]):], " near line "+m[1]
	}
	return fmt.Errorf("%s is not YAML%s: %s", r.Path, near, clip(msg))
}

func (r reader) place(n *yaml.Node) Place { return Place{r.Path, n.Line, n.Column} }

func (r reader) fault(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s: %s", r.place(n), fmt.Sprintf(format, args...))
}

// wants is the error for a value of a wrong type.
func (r reader) wants(n *yaml.Node, what string) error {
	return r.fault(n, "%s, but must be %s", describe(n), what)
}

func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "this is a mapping"
	case n.Kind == yaml.SequenceNode:
		return "this is a list"
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return "this is empty"
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		return fmt.Sprintf("this is the text %q", clip(n.Value))
	}
	return fmt.Sprintf("this is %q", clip(n.Value))
}

// clip bounds the text that an error repeats from a file.
func clip(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s, "\ufffd")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// plain refuses aliases, anchors and tags, which make a text mean something else than it
// shows. Aliases could also make a small file huge.
func (r reader) plain(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return r.fault(n, "an alias (*%s); write out its value", clip(n.Value))
	case n.Anchor != "":
		return r.fault(n, "an anchor (&%s); aliases are not allowed here", clip(n.Anchor))
	case n.Style&yaml.TaggedStyle != 0:
		return r.fault(n, "a tag (%s); write the value alone", clip(n.Tag))
	}
	return nil
}

// section reads a mapping. A mapping without a value is empty.
func (r reader) section(name string, fields section) field {
	in := ""
	if name != "" {
		in = " in " + name
	}
	choices := strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
	return func(n *yaml.Node) error {
		if err := r.plain(n); err != nil {
			return err
		}
		if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
			return nil
		}
		if n.Kind != yaml.MappingNode {
			return r.wants(n, "a mapping, with "+choices)
		}
		seen := make(map[string]int, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if err := r.plain(key); err != nil {
				return err
			}
			if key.Kind != yaml.ScalarNode {
				return r.wants(key, "one of the keys "+choices)
			}
			take, ok := fields[key.Value]
			if !ok && r.Project {
				return r.fault(key, "%q cannot be set%s: this file comes with a change, so it may set rules of claims and smells, thresholds and ignored paths, and nothing else; "+
					"allowed here: %s", clip(key.Value), in, choices)
			}
			if !ok {
				return r.fault(key, "%q cannot be set%s; allowed here: %s", clip(key.Value), in, choices)
			}
			if first := seen[key.Value]; first != 0 {
				return r.fault(key, "%q is set twice%s, first in line %d", key.Value, in, first)
			}
			seen[key.Value] = key.Line
			if err := take(value); err != nil {
				return err
			}
		}
		return nil
	}
}

// rules reads which rules of claims or smells are on.
func (r reader) rules(of string, known []string, on map[string]bool) field {
	read := r.section(of+".rules", each(known, func(rule string, n *yaml.Node) (err error) {
		on[rule], err = r.onOff(n)
		return err
	}))
	return func(n *yaml.Node) error {
		for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			if key := n.Content[i]; key.Kind == yaml.ScalarNode && !slices.Contains(known, key.Value) {
				return r.noRule(key, of, known)
			}
		}
		return read(n)
	}
}

// noRule is the error for a rule of claims or smells that does not exist.
func (r reader) noRule(n *yaml.Node, of string, known []string) error {
	meant := ""
	if near := spelling.Nearest(clip(n.Value), known); near != "" {
		meant = fmt.Sprintf("did you mean %s? ", near)
	}
	return r.fault(n, "there is no rule %q; %scrscore %s list shows them", clip(n.Value), meant, of)
}

// ignore reads patterns of paths, each with a rule or a list of rules.
func (r reader) ignore(n *yaml.Node, known []string) ([]Ignore, error) {
	if err := r.plain(n); err != nil {
		return nil, err
	}
	if n.Kind != yaml.MappingNode {
		return nil, r.wants(n, "a mapping of patterns to rules, such as {vendor: all}")
	}
	if len(n.Content)/2 > limits.Ignores {
		return nil, r.fault(n, "%d patterns; there may be %d", len(n.Content)/2, limits.Ignores)
	}
	var out []Ignore
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		pattern, err := r.scalar(key, "a pattern of paths", "!!str")
		if err != nil {
			return nil, err
		}
		rule := func(n *yaml.Node) (Text, error) {
			s, err := r.scalar(n, "a rule", "!!str")
			if err == nil && !slices.Contains(known, s) {
				err = r.noRule(n, "smells", known)
			}
			return Text{s, r.place(n)}, err
		}
		var list []Text
		if value.Kind == yaml.ScalarNode {
			list = make([]Text, 1)
			list[0], err = rule(value)
		} else {
			list, err = r.list(value, rule)
		}
		if err != nil {
			return nil, err
		}
		rules := make([]string, len(list))
		for i, t := range list {
			rules[i] = t.Value
		}
		one, err := newIgnore(pattern, rules)
		if err != nil {
			return nil, r.fault(key, "%q: %v", clip(pattern), err)
		}
		out = append(out, one)
	}
	return out, nil
}

// scalar returns the text of a node with one of the tags.
func (r reader) scalar(n *yaml.Node, what string, tags ...string) (string, error) {
	if err := r.plain(n); err != nil {
		return "", err
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(tags, n.Tag) {
		return "", r.wants(n, what)
	}
	return n.Value, nil
}

var digits = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})$`)

func (r reader) number(n *yaml.Node) (int, error) {
	const what = "a whole number from 0 to 999999999"
	s, err := r.scalar(n, what, "!!int")
	if err != nil {
		return 0, err
	}
	if !digits.MatchString(s) { // such as octal numbers
		return 0, r.wants(n, what)
	}
	return strconv.Atoi(s)
}

func (r reader) onOff(n *yaml.Node) (bool, error) {
	const what = "on or off"
	s, err := r.scalar(n, what, "!!str", "!!bool")
	switch {
	case err != nil:
		return false, err
	case n.Style == 0 && (s == "on" || s == "true"):
		return true, nil
	case n.Style == 0 && (s == "off" || s == "false"):
		return false, nil
	}
	return false, r.wants(n, what)
}

func (r reader) duration(n *yaml.Node) (time.Duration, error) {
	const what = "a time from 1s to 1h, such as 90s or 2m"
	s, err := r.scalar(n, what, "!!str")
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < time.Second || d > time.Hour {
		return 0, r.wants(n, what)
	}
	return d, nil
}

// path reads an absolute path. A relative path would depend on the current directory,
// which may belong to the change.
func (r reader) path(n *yaml.Node) (Text, error) {
	const what = "an absolute path"
	s, err := r.scalar(n, what, "!!str")
	if err != nil {
		return Text{}, err
	}
	if !filepath.IsAbs(s) || strings.ContainsRune(s, 0) {
		return Text{}, r.wants(n, what)
	}
	return Text{filepath.Clean(s), r.place(n)}, nil
}

func (r reader) name(n *yaml.Node) (Text, error) {
	const what = "the name of a source"
	s, err := r.scalar(n, what, "!!str")
	if err == nil && strings.TrimSpace(s) == "" {
		err = r.wants(n, what)
	}
	return Text{s, r.place(n)}, err
}

// sources reads names joined by commas, as the flags take them, or a list.
func (r reader) sources(n *yaml.Node) (Text, error) {
	if n.Kind == yaml.ScalarNode {
		return r.name(n)
	}
	list, err := r.list(n, r.name)
	if err != nil {
		return Text{}, err
	}
	if len(list) == 0 {
		return Text{}, r.fault(n, "an empty list; for no source write none")
	}
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Value
	}
	return Text{strings.Join(names, ","), r.place(n)}, nil
}

func (r reader) list(n *yaml.Node, one func(*yaml.Node) (Text, error)) ([]Text, error) {
	if err := r.plain(n); err != nil {
		return nil, err
	}
	if n.Kind != yaml.SequenceNode {
		return nil, r.wants(n, "a list")
	}
	out := make([]Text, len(n.Content))
	for i, item := range n.Content {
		var err error
		if out[i], err = one(item); err != nil {
			return nil, err
		}
	}
	return out, nil
}
