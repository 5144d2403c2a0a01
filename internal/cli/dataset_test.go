package cli

import (
	"errors"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"

	"crscore/internal/dataset"
)

// toParquet writes a dataset in JSON Lines as Parquet: "parquet FROM TO".
func toParquet(ts *testscript.TestScript, _ bool, args []string) {
	type review struct {
		ID   string `parquet:"id"`
		Text string `parquet:"text"`
	}
	type change struct {
		ID      string   `parquet:"id"`
		Lang    string   `parquet:"lang,dict"`
		Diff    string   `parquet:"patch"`
		Reviews []review `parquet:"reviews,list"`
	}
	in, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer in.Close()
	out, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	defer out.Close()
	w := parquet.NewGenericWriter[change](out, parquet.Compression(&parquet.Zstd))
	for r := dataset.NewReader(in); ; {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		ts.Check(err)
		c := change{ID: rec.ID, Lang: rec.Lang, Diff: rec.Diff}
		for _, v := range rec.Reviews {
			c.Reviews = append(c.Reviews, review{v.ID, v.Text})
		}
		_, err = w.Write([]change{c})
		ts.Check(err)
	}
	ts.Check(w.Close())
}
