package dataset

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// runNode runs JavaScript in a new folder. hyparquet and DuckDB, which read and write
// Parquet without our libraries, can be imported there.
func runNode(t *testing.T, js string) (dir string) {
	t.Helper()
	modules := os.Getenv("CRSCORE_HYPARQUET")
	if modules == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("CRSCORE_HYPARQUET does not say where hyparquet is")
		}
		t.Skip("no hyparquet and no DuckDB (make test installs them)")
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

// readFile reads a Parquet file without a fault.
func readFile(t *testing.T, name string) []Record {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, recs, bad, err := openParquetBytes(b, Options{})
	if err != nil || bad != nil {
		t.Fatalf("%s: %q, %v", name, bad, err)
	}
	return recs
}

// TestParquetOfOthers reads what another program writes: nulls, dictionaries, delta
// encodings, small pages, several row groups, lists of structs.
func TestParquetOfOthers(t *testing.T) {
	dir := runNode(t, `
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
		return showAll(readFile(t, filepath.Join(dir, name+".parquet")))
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

// TestParquetOfDuckDB reads what DuckDB writes: it fills the last group of levels up with
// up to 255 values more than there are, and with parquet_version V2 it splits numbers into
// streams of bytes and packs lengths as deltas.
func TestParquetOfDuckDB(t *testing.T) {
	dir := runNode(t, `
import { DuckDBInstance } from '@duckdb/node-api'
const db = await (await DuckDBInstance.create(':memory:')).connect()
await db.run("create macro words(i) as 'line ' || i % 7 || chr(10) || repeat('é', (i % 40)::INT)")
await db.run("create table t as select (i // 2)::INT as id, case when i % 2 = 0 then '@@ ' || words(i // 2) end as diff, " +
  "case i % 2 when 0 then 'a' else 'b' end as system, case when i % 5 > 0 then words(i) when i % 3 > 0 then '' end as review, " +
  "case when i % 2 = 1 then i + 0.25::DOUBLE end as con, case when i % 2 = 1 then (i / 3)::FLOAT end as comp, case when i % 2 = 1 then i::BIGINT << 20 end as rel, " +
  "case when i % 2 = 0 then ['one', 'two ' || i] end as smells, case when i % 4 = 0 then map {'m': ['c' || i], 'n': []} end as claims, " +
  "case when i % 2 = 0 then [{'text': 'p' || i, 'necessary': i % 4 = 0}] end as refs_edited from range(3000) r(i)")
for (const version of ['V1', 'V2'])
  for (const codec of ['snappy', 'zstd', 'gzip', 'uncompressed', 'brotli', 'lz4_raw'])
    await db.run("copy t to '" + version + codec + ".parquet' (format parquet, row_group_size 2500, parquet_version '" + version + "', codec '" + codec + "')")
await db.run("copy t to 'expected.jsonl' (format json)")
`)
	in, err := os.Open(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	type row struct {
		ID             int
		Diff, Review   *string
		System         string
		Con, Comp, Rel *float64
		Smells         []string
		Claims         map[string][]string
		Edited         []EditedRef `json:"refs_edited"`
	}
	var want []Record
	for d := json.NewDecoder(in); d.More(); {
		var r row
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		v := Review{ID: r.System}
		if r.Review != nil {
			v.Text = *r.Review
		}
		if r.Con != nil {
			v.Human = &Human{*r.Con, float64(float32(*r.Comp)), *r.Rel}
		}
		if r.Diff == nil {
			last := &want[len(want)-1]
			last.Reviews = append(last.Reviews, v)
			continue
		}
		want = append(want, Record{ID: strconv.Itoa(r.ID), Diff: *r.Diff, Smells: r.Smells, Claims: r.Claims, RefsEdited: r.Edited, Reviews: []Review{v}})
	}
	if len(want) != 1500 {
		t.Fatalf("%d changes", len(want))
	}
	near := cmp.Comparer(func(a, b float64) bool { return float32(a) == float32(b) }) // FLOAT as text
	for _, version := range []string{"V1", "V2"} {
		for _, codec := range []string{"snappy", "zstd", "gzip", "uncompressed", "brotli", "lz4_raw"} {
			got := readFile(t, filepath.Join(dir, version+codec+".parquet"))
			ignore := cmp.Options{cmpopts.IgnoreFields(Record{}, "Line", "Row", "Number", "Sum"), cmpopts.IgnoreFields(Review{}, "Err")}
			if d := cmp.Diff(want, got, ignore, near); d != "" {
				t.Errorf("%s %s: %.2000s", version, codec, d)
			}
			if err := got[0].Reviews[0].Err; err == nil { // it is null
				t.Errorf("%s %s: a review that is null is not missing", version, codec)
			}
		}
	}
}
