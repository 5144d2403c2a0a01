package hostile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Settings of the long form, which make hostile gives.
var (
	seeds  = numbers(os.Getenv("CRSCORE_HOSTILE_SEEDS"))
	rows   = numbers(os.Getenv("CRSCORE_HOSTILE_ROWS"))
	shapes = numbers(os.Getenv("CRSCORE_HOSTILE_SHAPES"))
	texts  = numbers(os.Getenv("CRSCORE_HOSTILE_TEXTS"))
	sizes  = numbers(os.Getenv("CRSCORE_HOSTILE_SIZES"))
	// maxTime is what a change may take; $CRSCORE_HOSTILE_TIME is for busy machines.
	maxTime = limit(os.Getenv("CRSCORE_HOSTILE_TIME"))
	only    = regexp.MustCompile(os.Getenv("CRSCORE_HOSTILE_ONLY"))
)

func limit(s string) time.Duration {
	if d, err := time.ParseDuration(s); err == nil {
		return d
	}
	return 10 * time.Second
}

func numbers(s string) (out []uint64) {
	for _, f := range strings.Fields(s) {
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			panic(err)
		}
		out = append(out, n)
	}
	return out
}

// command is the command as it is built: $CRSCORE_HOSTILE_BIN, or one that is made.
func built(t *testing.T) string {
	t.Helper()
	if len(seeds) == 0 {
		t.Skip(`the long form: make hostile SEEDS="1 2 3"`)
	}
	if bin := os.Getenv("CRSCORE_HOSTILE_BIN"); bin != "" {
		return bin
	}
	bin := filepath.Join(t.TempDir(), "crscore")
	if out, err := exec.Command("go", "build", "-o", bin, "crscore/cmd/crscore").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return bin
}

// tally reports what failed and keeps the slowest.
type tally struct {
	t       *testing.T
	rows    int
	failed  map[string]int
	slowest []string
	spent   time.Duration
}

func (y *tally) add(row Row, a answer) {
	if y.failed == nil {
		y.failed = map[string]int{}
	}
	y.rows++
	y.spent += a.took
	line := fmt.Sprint(a, "  ", row.ID)
	y.slowest = append(y.slowest, line)
	slices.Sort(y.slowest)
	y.slowest = y.slowest[max(0, len(y.slowest)-10):]
	if a.kind == "" {
		if a.took > maxTime/4 || a.mb > maxMemory/2 {
			y.t.Log("hard", y.rows, line) // with -v
		}
		return
	}
	y.failed[a.kind]++
	dir := filepath.Join(os.TempDir(), "crscore-hostile")
	sum := fnv.New32()
	_, _ = sum.Write([]byte(row.ID))
	file := filepath.Join(dir, fmt.Sprintf("%s-%x.jsonl", strings.Trim(regexp.MustCompile(`\W+`).ReplaceAllString(row.ID, "-"), "-"), sum.Sum32()))
	_ = os.MkdirAll(dir, 0o755)
	if err := os.WriteFile(file, append(row.JSON(), Normal("next").JSON()...), 0o644); err != nil {
		y.t.Error(err)
	}
	fmt.Printf("FAIL %-8s %s: %.400s [crscore score --data %s]\n", a.kind, line, strings.ReplaceAll(a.why, "\n", " "), file)
	y.t.Fail()
}

func (y *tally) report() {
	fmt.Printf("%d rows, %.0f s; failed: %v\nslowest:\n  %s\n", y.rows, y.spent.Seconds(), y.failed, strings.Join(y.slowest, "\n  "))
}

// TestRows scores random changes of the source files of this machine, one after the
// other, and all of them once more as a dataset, which must print the same.
func TestRows(t *testing.T) {
	bin := built(t)
	c := Collect(Roots()...)
	for _, seed := range seeds {
		s, y, all := &scorer{t: t, bin: bin}, &tally{t: t}, newDataset(t)
		n := uint64(20000)
		if len(rows) > 0 {
			n = rows[0]
		}
		fmt.Printf("seed %d: %d rows of %s\n", seed, n, c)
		for i := range n {
			if row := c.Row(seed, i); only.MatchString(row.ID) {
				a := s.score(row)
				y.add(row, a)
				all.add(row, a)
			}
		}
		s.stop()
		y.report()
		all.check(bin)
	}
}

// written is the rows that were scored, with what was printed.
type written struct {
	t    *testing.T
	file *os.File
	zip  *gzip.Writer
	want [][]byte
}

func newDataset(t *testing.T) *written {
	f, err := os.Create(filepath.Join(t.TempDir(), "rows.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z, _ := gzip.NewWriterLevel(f, gzip.BestSpeed) // there is such a level
	return &written{t: t, file: f, zip: z}
}

func (d *written) add(row Row, a answer) {
	if a.kind == "" {
		if _, err := d.zip.Write(row.JSON()); err != nil {
			d.t.Fatal(err)
		}
		d.want = append(d.want, a.line)
	}
}

// check scores all rows with one command, by as many workers as it likes.
func (d *written) check(bin string) {
	if err := errors.Join(d.zip.Close(), d.file.Close()); err != nil {
		d.t.Fatal(err)
	}
	if len(d.want) == 0 {
		return // no row was asked for
	}
	cmd := exec.Command(bin, "score", "--data", d.file.Name())
	said := &tail{}
	cmd.Stderr = said
	begin := time.Now()
	out, err := cmd.Output()
	fmt.Printf("the %d rows that were scored, as a dataset: %.0f s\n", len(d.want), time.Since(begin).Seconds())
	if err != nil {
		d.t.Errorf("as a dataset: %v: %s", err, said)
	}
	got := bytes.SplitAfter(out, []byte("\n"))
	for i, line := range d.want {
		if i >= len(got) || !bytes.Equal(got[i], line) {
			d.t.Errorf("as a dataset, line %d is another one than %s", i+1, line)
			return
		}
	}
	if len(got) != len(d.want)+1 {
		d.t.Errorf("as a dataset, there are %d lines for %d rows", len(got)-1, len(d.want))
	}
}

// shapeRows are shapes in all languages, in a random order, each in a form and of a size
// that the seed chooses, until emit returns false or there are $CRSCORE_HOSTILE_SHAPES;
// CRSCORE_HOSTILE_ALL=1 takes all forms.
func shapeRows(seed uint64, emit func(Row) bool) {
	if len(sizes) == 0 {
		sizes = []uint64{20 << 10, 100 << 10, 500 << 10, 1000 << 10}
	}
	var todo []func() Row
	r := rand.New(rand.NewPCG(seed, 0))
	for _, s := range Shapes() {
		for i := range Languages {
			chosen := r.IntN(len(Forms))
			for k, form := range Forms {
				size := int(sizes[r.IntN(len(sizes))])
				all := os.Getenv("CRSCORE_HOSTILE_ALL") != ""
				if (all || k == chosen) && only.MatchString(s.ID(&Languages[i], form, size, seed)) {
					todo = append(todo, func() Row { return s.Row(&Languages[i], form, size, seed) })
				}
			}
		}
	}
	r.Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })
	for i, row := range todo {
		if len(shapes) > 0 && uint64(i) >= shapes[0] {
			return
		}
		if !emit(row()) {
			return
		}
	}
}

// TestKnown scores what has hurt before.
func TestKnown(t *testing.T) {
	s, y := &scorer{t: t, bin: built(t)}, &tally{t: t}
	for _, row := range Known() {
		if only.MatchString(row.ID) {
			y.add(row, s.score(row))
		}
	}
	s.stop()
	y.report()
}

// textCount is the number of hostile reviews of a seed.
func textCount() uint64 {
	if len(texts) > 0 {
		return texts[0]
	}
	return 1000
}

// TestTexts scores hostile reviews of a normal change, one after the other.
func TestTexts(t *testing.T) {
	bin := built(t)
	for _, seed := range seeds {
		fmt.Printf("seed %d: %d reviews\n", seed, textCount())
		s, y := &scorer{t: t, bin: bin}, &tally{t: t}
		for i := range textCount() {
			if row := TextRow(seed, i); only.MatchString(row.ID) {
				y.add(row, s.score(row))
			}
		}
		s.stop()
		y.report()
	}
}

// TestShapes scores the shapes of every language, one after the other.
func TestShapes(t *testing.T) {
	bin := built(t)
	for _, seed := range seeds {
		fmt.Printf("seed %d: shapes\n", seed)
		s, y := &scorer{t: t, bin: bin}, &tally{t: t}
		shapeRows(seed, func(row Row) bool { y.add(row, s.score(row)); return true })
		s.stop()
		y.report()
	}
}
