package hostile

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// tableBytes is the size of a table that may be in any order.
const tableBytes = 48 << 20

// tableMemory bounds the memory for a table of any order and size, in MB.
const tableMemory = 1000

// tableRow is a row of a table: a review with its change.
type tableRow struct{ id, path, lang, diff, system, text string }

// tableRows are changes with some reviews each, those of a change behind each other. They have at
// most so many bytes.
func tableRows(c *Corpus, seed uint64, most int) (rows []tableRow) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := uint64(0); most > 0; i++ {
		change := c.Row(seed, i)
		if strings.ContainsAny(change.Diff, "\r\x00") || len(change.Diff) > 64<<10 {
			continue // CSV readers turn \r\n into \n, and refuse a NUL byte
		}
		for k := range 1 + r.IntN(8) {
			system, text := fmt.Sprintf("system %d", k), fmt.Sprintf("Line %d may fail.", r.IntN(100))
			row := tableRow{change.ID, change.Path, change.Lang, change.Diff, system, text}
			rows, most = append(rows, row), most-len(row.diff)-200
		}
	}
	return rows
}

// orders are the orders of a table's rows.
func orders(seed uint64) map[string]func([]tableRow) {
	return map[string]func([]tableRow){
		"by change": func([]tableRow) {},
		"by system": func(rows []tableRow) {
			slices.SortStableFunc(rows, func(a, b tableRow) int { return strings.Compare(a.system, b.system) })
		},
		"reversed": slices.Reverse[[]tableRow],
		"random": func(rows []tableRow) {
			rand.New(rand.NewPCG(seed, 2)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		},
	}
}

// scoreTable writes rows as CSV and scores them. It returns the lines in the order of their text.
func scoreTable(t *testing.T, bin string, rows []tableRow) (lines []string, code int, said string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "table.csv")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(f)
	_ = w.Write([]string{"id", "path", "lang", "diff", "system", "review"})
	for _, r := range rows {
		_ = w.Write([]string{r.id, r.path, r.lang, r.diff, r.system, r.text})
	}
	if w.Flush(); w.Error() != nil || f.Close() != nil {
		t.Fatal("the table cannot be written")
	}
	cmd := exec.Command(bin, "score", "--data", name)
	var out bytes.Buffer
	errs := &tail{}
	cmd.Stdout, cmd.Stderr = &out, errs
	_ = cmd.Run() // the caller looks at the code
	state := cmd.ProcessState
	memory := state.SysUsage().(*syscall.Rusage).Maxrss >> 10
	spent := state.UserTime() + state.SystemTime()
	fmt.Printf("%d rows: exit code %d, %.0f s of a processor, %d MB\n", len(rows), state.ExitCode(), spent.Seconds(), memory)
	if memory > tableMemory {
		t.Errorf("%d rows took %d MB", len(rows), memory)
	}
	lines = strings.SplitAfter(out.String(), "\n")
	slices.Sort(lines)
	return lines, state.ExitCode(), errs.text()
}

// TestOrders scores a table in several orders, which must give the same lines, and tables that are
// too large for their order or for one change, which must be refused by name.
func TestOrders(t *testing.T) {
	bin := built(t)
	if !only.MatchString("orders") {
		t.Skip("$CRSCORE_HOSTILE_ONLY does not match the name orders")
	}
	c := Collect(Roots()...)
	for _, seed := range seeds {
		fmt.Printf("seed %d: orders of rows\n", seed)
		rows := tableRows(c, seed, tableBytes)
		var want []string
		for name, order := range orders(seed) {
			sorted := slices.Clone(rows)
			order(sorted)
			got, code, said := scoreTable(t, bin, sorted)
			if want == nil {
				want = got
			}
			if code != 0 || len(got) != len(rows)+1 || !slices.Equal(got, want) {
				t.Errorf("seed %d, %s: %d lines for %d rows, exit code %d: %s", seed, name, len(got)-1, len(rows), code, said)
			}
		}
		large := tableRows(c, seed, 3*tableBytes)
		orders(seed)["random"](large)
		if _, code, said := scoreTable(t, bin, large); code != 2 || !strings.Contains(said, "sort the table by id") {
			t.Errorf("seed %d, a large table in a random order: exit code %d: %s", seed, code, said)
		}
		one := slices.Repeat(rows[:1], 1_000_000/max(1, len(rows[0].diff)>>10))
		for i := range one {
			one[i].system = fmt.Sprint(i)
		}
		if _, code, said := scoreTable(t, bin, one); code == 0 || !strings.Contains(said, "has more than 50000 reviews") {
			t.Errorf("seed %d, a change of %d reviews: exit code %d: %s", seed, len(one), code, said)
		}
	}
}
