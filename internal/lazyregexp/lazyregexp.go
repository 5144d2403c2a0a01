// Package lazyregexp is regexp for the tables of rules: an expression is compiled
// when it is first used, because hundreds of them are declared and a change in one
// language needs few, while every start of the command would pay for all. It has
// the methods that are used, and takes regexp's place under its name. Expressions
// that come from outside may not come in: they are checked when they are read.
package lazyregexp

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first used. It is safe
// for concurrent use.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// MustCompile declares an expression, and panics when a wrong one is first used. In
// tests it does so at once, so that a wrong one never gets past them.
func MustCompile(expr string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
	if strings.HasSuffix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), ".test") {
		r.compiled()
	}
	return r
}

// QuoteMeta is regexp.QuoteMeta.
func QuoteMeta(s string) string { return regexp.QuoteMeta(s) }

// The methods are those of regexp.Regexp.

func (r *Regexp) ExpandString(dst []byte, template string, src string, match []int) []byte {
	return r.compiled().ExpandString(dst, template, src, match)
}
func (r *Regexp) Find(b []byte) []byte                   { return r.compiled().Find(b) }
func (r *Regexp) FindAll(b []byte, n int) [][]byte       { return r.compiled().FindAll(b, n) }
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int   { return r.compiled().FindAllIndex(b, n) }
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.compiled().FindAllSubmatchIndex(b, n)
}
func (r *Regexp) FindIndex(b []byte) []int             { return r.compiled().FindIndex(b) }
func (r *Regexp) FindString(s string) string           { return r.compiled().FindString(s) }
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }
func (r *Regexp) Match(b []byte) bool            { return r.compiled().Match(b) }
func (r *Regexp) MatchString(s string) bool      { return r.compiled().MatchString(s) }
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.compiled().ReplaceAllString(src, repl)
}
func (r *Regexp) ReplaceAllStringFunc(src string, repl func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(src, repl)
}
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
