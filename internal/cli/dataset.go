package cli

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"crscore/internal/dataset"
)

// dataUsage is the help of --data.
const dataUsage = "dataset in JSON Lines, JSON, CSV or Parquet: a `FILE`, or - for standard input"

// dataFlags say how the dataset of --data is written.
type dataFlags struct {
	columns       []string
	format, comma string
	emptyCells    string
	options       dataset.Options // what check made of them
}

func (f *dataFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.format, "data-format", "", "of --data: jsonl, json, csv or parquet (default: told by its name and content)")
	fl.StringSliceVar(&f.columns, "map", nil, "columns, or keys of JSON rows, that do not have the names of their fields, as `FIELD=COLUMN,...` (docs/formats.md)")
	alias(cmd, "csv-map", "map") // its name before JSON had rows
	fl.StringVar(&f.comma, "csv-comma", "", `what separates the cells of CSV: a character, or tab (default: told by the header)`)
	fl.StringVar(&f.emptyCells, "empty-cells", "", "what an empty cell or null of a review is in a table: missing, without a score (default, with a warning), or a review that says nothing")
	complete(cmd, "data-format", dataset.Formats()...)
	complete(cmd, "empty-cells", dataset.EmptyIsMissing, dataset.EmptyIsReview)
}

// names are the flags of add.
func (dataFlags) names() []string {
	return []string{"data-format", "map", "csv-comma", "empty-cells"}
}

// check reads the flags, before anything is computed.
func (f *dataFlags) check(cmd *cobra.Command) (err error) {
	for _, name := range f.names() {
		if cmd.Flags().Changed(name) && !cmd.Flags().Changed("data") {
			return fmt.Errorf("--%s says how a dataset is written: give --data", name)
		}
	}
	f.options = dataset.Options{Format: f.format, EmptyCells: f.emptyCells}
	if f.options.Columns, err = dataset.ParseColumns(f.columns); err != nil {
		return fmt.Errorf("--map: %w", err)
	}
	switch r, n := utf8.DecodeRuneInString(f.comma); {
	case f.comma == "tab" || f.comma == `\t`:
		f.options.Comma = '\t'
	case n < len(f.comma):
		return errors.New("--csv-comma is one character, or tab")
	case f.comma != "":
		f.options.Comma = r
	}
	return f.options.Check()
}
