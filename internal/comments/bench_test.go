package comments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// many are files of n comments in every format.
func many(tb testing.TB, n int) map[Format][]byte {
	tb.Helper()
	var items []Item
	var github, gitlab []map[string]any
	var paragraphs strings.Builder
	for i := range n {
		body := fmt.Sprintf("Case %d: `total` divides by the length of `orders`, which fails for an empty list.", i)
		items = append(items, Item{Comment: Comment{Body: body, Path: "svc/mod.py", Side: New, StartLine: i + 1, EndLine: i + 1}})
		github = append(github, map[string]any{"id": i, "in_reply_to_id": max(i-i%3, 0), "path": "svc/mod.py", "line": i + 1, "body": body})
		gitlab = append(gitlab, map[string]any{"notes": []any{map[string]any{"body": body, "position": map[string]any{"new_path": "svc/mod.py", "new_line": i + 1}}}})
		paragraphs.WriteString(body + "\n\n")
	}
	files := map[Format][]byte{Paragraphs: []byte(paragraphs.String())}
	var err error
	if files[GitHub], err = json.MarshalIndent(github, "", " "); err != nil {
		tb.Fatal(err)
	}
	if files[GitLab], err = json.Marshal(gitlab); err != nil {
		tb.Fatal(err)
	}
	var sarif, lines bytes.Buffer
	if err := WriteSARIF(&sarif, "bot", "1", items, nil); err != nil {
		tb.Fatal(err)
	}
	if err := WriteRDJSONL(&lines, items); err != nil {
		tb.Fatal(err)
	}
	files[SARIF], files[RDJSONL] = sarif.Bytes(), lines.Bytes()
	files[RDJSON] = fmt.Appendf(nil, `{"diagnostics":[%s]}`, bytes.Join(bytes.Split(bytes.TrimSpace(lines.Bytes()), []byte("\n")), []byte(",\n")))
	return files
}

// BenchmarkFile reads 10,000 comments and writes half of them back with notes.
func BenchmarkFile(b *testing.B) {
	files := many(b, 10_000)
	for _, format := range []Format{GitHub, GitLab, RDJSON, RDJSONL, SARIF, Paragraphs} {
		b.Run(string(format), func(b *testing.B) {
			b.SetBytes(int64(len(files[format])))
			for b.Loop() {
				f, err := Read(files[format], format)
				if err != nil {
					b.Fatal(err)
				}
				marks := make([]Mark, len(f.Comments))
				for i := range marks {
					marks[i] = Mark{Drop: i%2 == 0, Note: json.RawMessage(`{"con":0.5}`)}
				}
				if err := f.Write(io.Discard, marks, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestMany(t *testing.T) {
	for format, text := range many(t, 99) {
		want := 99
		if format == GitHub {
			want = 33 // and two answers each
		}
		if f, err := Read(text, ""); format != Paragraphs && (err != nil || f.Format != format || len(f.Comments) != want) {
			t.Errorf("%s: %v", format, err)
		}
		if f, err := Read(text, format); err != nil || len(f.Comments) != want {
			t.Errorf("%s: %v", format, err)
		}
	}
}
