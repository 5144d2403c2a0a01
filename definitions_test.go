package crscore

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// once are the contracts of datasets and results, by keys in JSON that no other struct has together, and where a
// struct may have them. Others write or read them with internal/dataset.
var once = []struct {
	what  string
	keys  []string
	where []string
}{
	{"the row of a result", []string{"id", "review", "status"}, []string{"internal/dataset.Row"}},
	{"a record of a dataset", []string{"id", "diff", "reviews"}, nil}, // its members are named in Record.Written
	// The others are the scores of a metric.
	{"a label of people", []string{"con float64", "comp float64", "rel float64"}, []string{"internal/dataset.Human", "eval/perturb/stability.Scores", "score.Means"}},
}

// TestDefinedOnce: records, rows and labels have one definition each.
func TestDefinedOnce(t *testing.T) {
	met := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			name := filepath.ToSlash(filepath.Dir(path)) + "." + spec.Name.Name
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return false
			}
			has := keysOf(s)
			for _, o := range once {
				if slices.ContainsFunc(o.keys, func(key string) bool { return !has[key] }) {
					continue
				}
				if met[name] = true; !slices.Contains(o.where, name) {
					t.Errorf("%s has %q, as %s has: take what internal/dataset has", name, o.keys, o.what)
				}
			}
			return false
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range once {
		for _, name := range o.where {
			if !met[name] {
				t.Errorf("%s, which may have %q, was not met", name, o.keys)
			}
		}
	}
}

// keysOf are the keys of a struct in JSON, each alone and with a plain type behind it.
func keysOf(s *ast.StructType) map[string]bool {
	out := map[string]bool{}
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		out[key] = true
		if of, ok := f.Type.(*ast.Ident); ok {
			out[key+" "+of.Name] = true
		}
	}
	return out
}
