package dataset

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// script runs JavaScript in a folder with hyparquet, a reader and writer of Parquet
// that has nothing in common with ours.
func script(t *testing.T, js string) (dir string) {
	t.Helper()
	modules := os.Getenv("CRSCORE_HYPARQUET")
	if modules == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("CRSCORE_HYPARQUET does not say where hyparquet is")
		}
		t.Skip("no hyparquet (make test installs it)")
	}
	dir = t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "write.mjs"), []byte(js), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "write.mjs")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestParquetOfOthers reads what another program writes: nulls, dictionaries, delta
// encodings, small pages, several row groups, lists of structs.
func TestParquetOfOthers(t *testing.T) {
	dir := script(t, `
import { parquetWriteFile } from 'hyparquet-writer'
const n = 1000
const of = (f) => Array.from({ length: n }, (_, i) => f(i))
const text = (i) => 'line ' + i % 7 + '\n' + 'é'.repeat(i % 40)
for (const [name, encoding, options] of [
  ['plain', 'PLAIN', {}], ['dictionary', undefined, {}], ['length', 'DELTA_LENGTH_BYTE_ARRAY', {}], ['delta', 'DELTA_BYTE_ARRAY', {}],
  ['pages', 'PLAIN', { pageSize: 100, rowGroupSize: 300 }], ['unpacked', undefined, { codec: 'UNCOMPRESSED', statistics: false }],
]) {
  parquetWriteFile({ filename: name + '.parquet', ...options, columnData: [
    { name: 'id', data: of(i => i >> 1), type: 'INT32', encoding: encoding && encoding !== 'PLAIN' ? 'DELTA_BINARY_PACKED' : encoding },
    { name: 'diff', data: of(i => i % 2 ? null : '@@ ' + text(i >> 1)), type: 'STRING', encoding },
    { name: 'system', data: of(i => i % 2 ? 'b' : 'a'), type: 'STRING' },
    { name: 'review', data: of(i => i % 5 ? text(i) : i % 3 ? '' : null), type: 'STRING', encoding },
    { name: 'con', data: of(i => i % 2 ? 2.5 : NaN), type: 'DOUBLE' },
    { name: 'comp', data: of(i => i % 2 ? 3 : null), type: 'FLOAT' },
    { name: 'rel', data: of(i => i % 2 ? BigInt(i % 5) : null), type: 'INT64' },
  ] })
}
parquetWriteFile({ filename: 'nested.parquet',
  columnData: [
    { name: 'id', data: ['x', 'y', 'z'] }, { name: 'diff', data: ['@@', '@@', '@@'] },
    { name: 'smells', data: [['one', 'two'], [], null] },
    { name: 'reviews', data: [[{ id: 'a', text: 'One.', human: { con: 1, comp: 2, rel: 3 } }, { id: 'b', text: null, human: null }], [], null] },
  ],
  schema: [
    { name: 'root', num_children: 4 }, { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
    { name: 'diff', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'smells', converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 }, { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'reviews', converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 }, { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', num_children: 3 },
    { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' }, { name: 'text', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'human', repetition_type: 'OPTIONAL', num_children: 3 },
    { name: 'con', type: 'DOUBLE', repetition_type: 'OPTIONAL' }, { name: 'comp', type: 'DOUBLE', repetition_type: 'OPTIONAL' }, { name: 'rel', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  ],
})
`)
	read := func(name string) []string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		_, recs, bad, err := openParquetBytes(b, Options{})
		if err != nil || bad != nil {
			t.Fatalf("%s: %q, %v", name, bad, err)
		}
		return showAll(recs)
	}
	plain := read("plain")
	if len(plain) != 500 {
		t.Fatalf("%d changes", len(plain))
	}
	for i, want := range map[int]string{
		0:   `row 1 #1 0   "@@ line 0\n"; a: "" (the review is missing: the cell of "review" is empty (a review that says nothing is written "")); b: "line 1\né" {2.5 3 1}`,
		2:   `row 5 #3 2   "@@ line 2\néé"; a: "line 4\néééé"; b: "" {2.5 3 0}`,
		499: `row 999 #500 499   "@@ line 2\nééééééééééééééééééé"; a: "line 4\néééééééééééééééééééééééééééééééééééééé"; b: "line 5\nééééééééééééééééééééééééééééééééééééééé" {2.5 3 4}`,
	} {
		if d := cmp.Diff(want, plain[i]); d != "" {
			t.Error(d)
		}
	}
	for _, name := range []string{"dictionary", "length", "delta", "pages", "unpacked"} {
		if d := cmp.Diff(plain, read(name)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	want := []string{`row 1 #1 x   "@@" smells=["one" "two"]; a: "One." {1 2 3}; b: "" (the review has no "text")`, `row 2 #2 y   "@@" smells=[]`, `row 3 #3 z   "@@"`}
	if d := cmp.Diff(want, read("nested")); d != "" {
		t.Error(d)
	}
}
