package matrices_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"

	"crscore/internal/matrices"
)

// A change with two references and one review of two sentences is kept, and read
// again to count the sentences above a threshold.
func Example() {
	var file bytes.Buffer
	w, err := matrices.NewWriter(&file, "crscore/0.1 similarity=hybrid splitter=markdown")
	if err != nil {
		log.Fatal(err)
	}
	err = w.Write(&matrices.Block{
		ID:      "7988",
		Refs:    []matrices.Ref{{Kind: "claim", Source: "symbolic"}, {Kind: "smell", Source: "builtin"}},
		Reviews: []matrices.Review{{ID: "bot", Sentences: 2, Sim: []float32{0.9, 0.1, 0.2, 0.3}}},
	})
	if err := errors.Join(err, w.Close()); err != nil {
		log.Fatal(err)
	}

	r, err := matrices.NewReader(&file)
	if err != nil {
		log.Fatal(err)
	}
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		for i := range b.Reviews {
			refs, _ := b.Rows(i)
			n := 0
			for _, row := range refs {
				if max(row[0], row[1]) > 0.5 {
					n++
				}
			}
			fmt.Printf("change %s, review %s: %d of %d sentences\n", b.ID, b.Reviews[i].ID, n, len(refs))
		}
	}
	// Output: change 7988, review bot: 1 of 2 sentences
}
