package smells

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"crscore/change"
	"crscore/internal/config"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// The sentences of switchedOff.
const (
	onlyLower = "raised thresholds and ignored paths only"
	ofLines   = "by the lines of the diff alone"
)

// switchedOff looks at the change of the project's own file. What counts is what its new text
// switches off or lowers that the old text did not.
func switchedOff(r *Rule, all []Rule, f *change.File) (Smell, bool) {
	if f.OldPath != config.ProjectFile && f.NewPath != config.ProjectFile || f.Binary || f.Link() || f.Submodule() {
		return Smell{}, false
	}
	old, oldWhole := settingsOf(f, change.Old, f.OldPath)
	now, nowWhole := settingsOf(f, change.New, f.NewPath)
	off, less := weaker(all, old, now)
	when, list := "", slices.Concat(off, less)
	switch {
	case len(list) == 0:
		return Smell{}, false
	case !oldWhole || !nowWhole:
		when = ofLines
	case len(off) == 0:
		when = onlyLower
	}
	const most = 3
	said := strings.Join(list[:min(len(list), most)], ", ")
	if more := len(list) - most; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	s := Smell{Rule: r.ID, Name: r.Name, Text: r.sentence(when, fill{"list": said}, nil), Path: f.Path(), Source: Source}
	if lines := f.ChangedLines(change.New); len(lines) > 0 {
		s.StartLine, s.EndLine = slices.Min(lines), slices.Max(lines)
	} else if f.NewPath != "" && len(f.Hunks) > 0 {
		s.StartLine = max(f.Hunks[0].NewStart, 1)
		s.EndLine = s.StartLine
	}
	return s, true
}

// settingsOf returns what the project's file sets on a side of a change, nothing if the file has
// another path there. whole is false if only the lines of the diff could be read.
func settingsOf(f *change.File, side change.Side, path string) (c config.Config, whole bool) {
	if path != config.ProjectFile {
		return config.Config{}, true
	}
	if text, ok := f.Whole(side); ok {
		if c, err := config.Switches(text); err == nil {
			return c, true
		}
	}
	c = config.Config{Rules: map[string]bool{}, ClaimRules: map[string]bool{}, Thresholds: map[string]int{}}
	for i := range f.Hunks {
		for line := range strings.Lines(f.Hunks[i].Text(side)) {
			line, _, _ = strings.Cut(line[:min(len(line), limits.SettingsLine)], " #")
			addSettings(&c, line)
		}
	}
	return c, false
}

var (
	settingOf  = regexp.MustCompile(`([a-z][a-z-]*)["']?[ \t]*:[ \t]*(on|off|true|false|[0-9]{1,9})(?:[^\w.-]|$)`)
	ignoringOf = regexp.MustCompile(`^[ \t]*["']?([^"'\s:{},]+)["']?[ \t]*:[ \t]*(?:all\b|\[)`)
)

// addSettings adds what a line by itself seems to set. It does not show whether it stands below
// claims or smells, so all stands for both.
func addSettings(c *config.Config, line string) {
	for _, m := range settingOf.FindAllStringSubmatch(line, -1) {
		name, value := m[1], m[2]
		if n, err := strconv.Atoi(value); err == nil {
			c.Thresholds[name] = n
			continue
		}
		on := value == "on" || value == "true"
		c.Rules[name], c.ClaimRules[name] = on, on
	}
	if m := ignoringOf.FindStringSubmatch(line); m != nil {
		c.Ignore = append(c.Ignore, config.Ignore{Pattern: m[1], Rules: []string{AllRules}})
	}
}

// weaker lists what the new settings switch off, and what they look for less, that the old did
// not. Every rule of claims is on by default.
func weaker(all []Rule, old, now config.Config) (off, less []string) {
	isOff := func(rules map[string]bool, id string, byDefault bool) bool {
		for _, key := range []string{id, AllRules} {
			if on, ok := rules[key]; ok {
				return !on
			}
		}
		return !byDefault
	}
	newlyOff := func(old, now map[string]bool, id string, byDefault bool) bool {
		return isOff(now, id, byDefault) && !isOff(old, id, byDefault)
	}
	allClaims, allSmells := newlyOff(old.ClaimRules, now.ClaimRules, AllRules, true), newlyOff(old.Rules, now.Rules, AllRules, true)
	if allClaims {
		off = append(off, "all claims")
	}
	if allSmells {
		off = append(off, "all smells")
	}
	smell := map[string]bool{AllRules: true}
	for i := range all {
		r := &all[i]
		smell[r.ID] = true
		_, named := now.Rules[r.ID]
		switch {
		case newlyOff(old.Rules, now.Rules, r.ID, r.On):
			if named || !allSmells {
				off = append(off, r.ID)
			}
		case r.limit(now) > r.limit(old) && !isOff(now.Rules, r.ID, r.On):
			less = append(less, fmt.Sprintf("%s=%d", r.ID, r.limit(now)))
		}
	}
	claims := slices.AppendSeq(slices.Collect(maps.Keys(old.ClaimRules)), maps.Keys(now.ClaimRules))
	slices.Sort(claims)
	for _, id := range slices.Compact(claims) {
		if _, named := now.ClaimRules[id]; !smell[id] && ruleID.MatchString(id) && newlyOff(old.ClaimRules, now.ClaimRules, id, true) && (named || !allClaims) {
			off = append(off, id)
		}
	}
	return off, append(less, newlyIgnored(old.Ignore, now.Ignore)...)
}

// limit returns the threshold of the rule under settings.
func (r *Rule) limit(c config.Config) int {
	if n, ok := c.Thresholds[r.ID]; ok && r.Unit != "" {
		return n
	}
	return r.Threshold
}

var ruleID = regexp.MustCompile(`^[a-z][a-z-]{1,40}$`)

// newlyIgnored lists the patterns that silence a rule which they did not silence before.
func newlyIgnored(old, now []config.Ignore) (list []string) {
	before := map[string][]string{}
	for _, i := range old {
		before[i.Pattern] = append(before[i.Pattern], i.Rules...)
	}
	for _, i := range now {
		known := before[i.Pattern]
		if slices.Contains(known, AllRules) || !slices.ContainsFunc(i.Rules, func(id string) bool { return !slices.Contains(known, id) }) {
			continue
		}
		shown := i.Pattern
		if len(shown) > quotedBytes || strings.ContainsFunc(shown, func(c rune) bool { return c <= ' ' || c == '`' || c > '~' }) {
			shown = "a path"
		} else {
			shown = "`" + shown + "`"
		}
		list = append(list, "ignore "+shown)
	}
	slices.Sort(list)
	return list
}
