// Package compile asks compilers whether a text that was rewritten has a diagnostic that its
// original does not have. A compiler sees one file alone, so that names of other files are unknown
// before and after.
//
// The texts are not trusted. Compilers run as analyzers do (package analyzers): in a folder of
// their own, with a limit of time and of output, and are killed with their children. None of
// them runs code of the text.
package compile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"crscore/analyzers"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Text is a text before and after it was rewritten.
type Text struct {
	// Lang is the language.
	Lang lang.Name
	// Before and After are the whole texts.
	Before, After string
}

// Answer is what a compiler makes of a Text.
type Answer struct {
	// Tool is the compiler, as in flags: javac.
	Tool string
	// New is the first diagnostic of the text after that the text before does not have; "" if there
	// is none.
	New string
	// Unchecked says why there is no answer; "" if there is one.
	Unchecked string
	// Failed tells that the compiler is missing, or failed.
	Failed bool
}

// Checker asks compilers. It is for one goroutine.
type Checker struct {
	options analyzers.Options
	found   map[lang.Name]*analyzers.Analyzer
}

// New returns a Checker. Compilers are looked for when the first text of their language comes.
func New(o analyzers.Options) *Checker {
	return &Checker{options: o, found: map[lang.Name]*analyzers.Analyzer{}}
}

// find looks for the compiler of a language once; nil: none is known.
func (c *Checker) find(ctx context.Context, l lang.Name) (*analyzers.Analyzer, error) {
	if a, asked := c.found[l]; asked {
		return a, nil
	}
	var a *analyzers.Analyzer
	var err error
	switch l {
	case lang.Java:
		a, err = analyzers.Find(ctx, java(), c.options)
	case lang.Python:
		a, err = analyzers.Find(ctx, python(), c.options)
	case lang.JavaScript:
		a, err = analyzers.Find(ctx, node(), c.options)
	case lang.TypeScript, lang.TSX:
		a, err = typescript(ctx, c.options)
	case lang.Go:
		a, err = analyzers.Find(ctx, golang(), c.options)
	}
	if err == nil {
		c.found[l] = a
	}
	return a, err
}

// Versions names the compilers that were asked: javac@17.0.15,python3@3.11.7, or none.
func (c *Checker) Versions() string {
	var out []string
	for _, a := range c.found {
		if a != nil && a.State == analyzers.Clean {
			out = append(out, a.Tool.Name+"@"+a.Version)
		}
	}
	slices.Sort(out)
	return cmp.Or(strings.Join(slices.Compact(out), ","), "none")
}

// Check asks the compilers about texts. The answers are in the order of the texts. The error is
// ctx's own, or says that a compiler could not be given the texts.
func (c *Checker) Check(ctx context.Context, texts []Text) ([]Answer, error) {
	type source struct {
		l    lang.Name
		text string
	}
	files, at := map[lang.Name][]analyzers.File{}, map[source]int{}
	for _, t := range texts {
		for _, text := range []string{t.Before, t.After} {
			s := source{t.Lang, text}
			if _, known := at[s]; !known {
				at[s] = len(files[t.Lang])
				files[t.Lang] = append(files[t.Lang], analyzers.File{Path: "file" + t.Lang.Ext(), Language: t.Lang, Text: text})
			}
		}
	}
	results := map[lang.Name]analyzers.Result{}
	for l, files := range files {
		a, err := c.find(ctx, l)
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue
		}
		if results[l], err = a.Run(ctx, files); err != nil {
			return nil, fmt.Errorf("running %s: %w", a.Tool.Name, err)
		}
	}
	out := make([]Answer, len(texts))
	for i, t := range texts {
		r, known := results[t.Lang]
		if !known {
			out[i].Unchecked = fmt.Sprintf("no compiler for %s", cmp.Or(string(t.Lang), "an unknown language"))
			continue
		}
		out[i] = compare(r.Tool, t, r.Files[at[source{t.Lang, t.Before}]], r.Files[at[source{t.Lang, t.After}]])
	}
	return out, nil
}

// compare looks for what is only said of the text after.
func compare(tool string, t Text, before, after analyzers.FileResult) Answer {
	out := Answer{Tool: tool}
	for _, r := range []analyzers.FileResult{before, after} {
		i := slices.IndexFunc(r.Findings, func(f findings.Finding) bool { return f.Rule == crashed })
		switch {
		case r.State == analyzers.Missing:
			out.Unchecked = r.Reason
		case r.State != analyzers.Clean && r.State != analyzers.Found:
			out.Unchecked = fmt.Sprintf("%s %s: %s", tool, r.State, r.Reason)
		case i >= 0:
			out.Unchecked = fmt.Sprintf("%s failed: %s", tool, r.Findings[i].Message)
		}
		if out.Failed = out.Unchecked != ""; out.Failed {
			return out
		}
	}
	// Names of variables differ, so that a message is compared without the words of the texts. A long
	// one is cut, where it depends on the names: the code says enough where the compiler has one.
	words := map[string]bool{}
	if len(after.Findings) > 0 {
		for _, w := range word.FindAllString(t.Before+"\n"+t.After, -1) {
			words[w] = true
		}
	}
	type diagnostic struct{ kind, message string }
	key := func(f findings.Finding) diagnostic {
		switch f.Rule {
		case unknownName:
			return diagnostic{f.Rule, f.Message}
		case withoutCode:
			return diagnostic{f.Rule, word.ReplaceAllStringFunc(f.Message, func(w string) string {
				if words[w] {
					return "_"
				}
				return w
			})}
		}
		return diagnostic{f.Rule, ""}
	}
	seen := map[diagnostic]int{}
	for _, f := range before.Findings {
		if f.Rule == syntaxError {
			out.Unchecked = fmt.Sprintf("%s does not parse the original", tool)
			return out
		}
		seen[key(f)]++
	}
	for _, f := range after.Findings {
		d := key(f)
		if f.Rule == unknownName && seen[d] > 0 {
			continue
		}
		if seen[d]--; seen[d] < 0 {
			out.New = f.Message
			return out
		}
	}
	return out
}

var word = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)
