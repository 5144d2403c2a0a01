package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestDocs holds the figures in docs/claims.md against the sheet beside it.
func TestDocs(t *testing.T) {
	doc, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := run(context.Background(), &b, []string{"rates", "../../docs/claims-rating.tsv"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "```text\n"+b.String()+"```") {
		t.Errorf("docs/claims.md does not show what the sheet says:\n%s", b.String())
	}
}
