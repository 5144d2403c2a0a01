package figures

// Table has cells of text. Rounding is for who fills them.
type Table struct {
	Title, Note string
	Columns     []Column
	Rows        []Row
	// Footnotes stand below it, each on a line of its own.
	Footnotes []string
}

// Column is the head of a column. Numbers are aligned to the right.
type Column struct {
	Name    string
	Numbers bool
}

// Row is a line of a table. With Group it is instead a heading over the rows that
// follow. A row with fewer cells than the table has columns ends with empty ones;
// those beyond the columns are not shown.
type Row struct {
	Cells []string
	Group string
	// Marked points a row out, such as the one that was chosen.
	Marked bool
}
