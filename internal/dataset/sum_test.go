package dataset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"crscore/internal/limits"
)

// TestSum has the same checksums for a text in every form, whatever is skipped.
func TestSum(t *testing.T) {
	lines := []string{
		`{"id":"1","diff":"a"}` + "\n",
		"\n{malformed\r\n",
		`{"id":"2","diff":"` + strings.Repeat("long ", 1<<15) + `"}` + "\r\n",
		strings.Repeat("x", limits.LineBytes+1) + "\n",
		`{"id":"3","diff":"c"}`,
	}
	text := strings.Join(lines, "")
	want := map[int]string{} // by line, of those that are records
	for i, line := range map[int]int{0: 1, 2: 4, 4: 6} {
		sum := sha256.Sum256([]byte(strings.Join(lines[:i+1], "")))
		want[line] = hex.EncodeToString(sum[:])
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{"plain": text, "gzip": packed.String(), "marked": "\ufeff" + text} {
		for shard := range 3 {
			r := NewReader(strings.NewReader(in))
			r.KeepSum()
			if shard > 0 {
				r.Only(func(line int) bool { return line%2 == shard-1 })
			}
			records, malformed := 0, 0
			for {
				rec, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if errors.As(err, new(*LineError)) {
					malformed++
					continue
				}
				if records++; err != nil || rec.Sum != want[rec.Line] || rec.Sum != r.Sum() {
					t.Errorf("%s: line %d: %s, want %s (%v)", name, rec.Line, rec.Sum, want[rec.Line], err)
				}
			}
			if r.Sum() != want[6] || r.Lines() != 6 {
				t.Errorf("%s: %d lines, %s at the end, want %s", name, r.Lines(), r.Sum(), want[6])
			}
			if wantRecords, wantMalformed := []int{3, 2, 1}[shard], []int{2, 0, 2}[shard]; records != wantRecords || malformed != wantMalformed {
				t.Errorf("%s, lines %d: %d records and %d malformed lines, want %d and %d", name, shard, records, malformed, wantRecords, wantMalformed)
			}
		}
	}
	r := NewReader(strings.NewReader(text))
	if rec, err := r.Next(); err != nil || rec.Sum != "" || r.Sum() != "" {
		t.Error("a checksum that nobody asked for:", rec.Sum, err)
	}
}
