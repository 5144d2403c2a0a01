package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"crscore"
	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/run"
)

// runFile is written last: without it the output is not whole.
const runFile = "run.json"

// runRecord is the content of runFile.
type runRecord struct {
	Version    string           `json:"version"`
	Signature  string           `json:"signature"`
	Explain    bool             `json:"explain"`
	ShardLines int              `json:"shard_lines"`
	Files      []string         `json:"files"`
	Counts     map[string]int64 `json:"counts"`
}

// finish reads the sums of the job, says what it came to, and writes runFile.
func (c *command) finish(ctx context.Context, j job, res beam.PipelineResult) error {
	counts, systems := map[string]int64{}, []system{}
	if err := readLines(ctx, j.out+"/"+countsFile+ending, func(n counted) { counts[n.Count] = n.N }); err != nil {
		return incomplete{err}
	}
	if err := readLines(ctx, j.out+"/"+systemsFile+ending, func(s system) { systems = append(systems, s) }); err != nil {
		return incomplete{err}
	}
	if len(counts) == 0 {
		return incomplete{fmt.Errorf("the job has ended without %s, which comes after all other files: "+
			"it was cancelled, or its workers write to a folder that this machine does not see", j.out+"/"+countsFile+ending)}
	}
	c.compare(res, counts)
	rec := runRecord{Version: crscore.Version, Signature: j.signature, Explain: j.explain, ShardLines: j.shardLines, Counts: counts}
	for _, f := range j.files {
		rec.Files = append(rec.Files, f.Path)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, rec, "  "); err != nil {
		return incomplete{err}
	}
	if err := writeFile(ctx, j.out+"/"+runFile, b.Bytes()); err != nil {
		return incomplete{err}
	}
	c.tell(j, counts, systems)
	scored := counts[reviewsScored] + counts[reviewsUnscored]
	switch n := counts[deadLetters]; {
	case scored == 0 && n == 0:
		return errors.New("no review was found: all files are without a change with reviews")
	case scored == 0 && n == counts[malformedLines]:
		return fmt.Errorf("no line could be read as a change (malformed lines: %d): %s says why", n, j.out+"/"+deadDir)
	case n > 0:
		return incomplete{fmt.Errorf("incomplete: dead letters: %d (malformed lines: %d, unreadable files: %d, failed changes: %d, "+
			"reviews without a score: %d): %s says why",
			n, counts[malformedLines], counts[unreadableFiles], counts[failedChanges], counts[reviewsUnscored], j.out+"/"+deadDir)}
	}
	return nil
}

// compare warns where the committed counters of Beam are not the sums: a runner may have none.
func (c *command) compare(res beam.PipelineResult, counts map[string]int64) {
	for name, n := range committed(res) {
		if counts[name] != n {
			c.note(fmt.Sprintf("warning: the runner counted %s: %d, the sums of the job are %d; the sums are right", name, n, counts[name]))
		}
	}
}

// committed are our committed counters. Only they are right: attempted ones lack bundles, or have
// them twice.
func committed(res beam.PipelineResult) map[string]int64 {
	out := map[string]int64{}
	if res == nil {
		return out
	}
	for _, n := range res.Metrics().AllMetrics().Counters() {
		if n.Namespace() == counterNamespace && n.Committed != 0 {
			out[n.Name()] += n.Committed
		}
	}
	return out
}

// readLines reads an output file. A file that is not there has no lines.
func readLines[T any](ctx context.Context, path string, add func(T)) error {
	sys, err := openFS(ctx, path)
	if err != nil {
		return err
	}
	defer sys.Close()
	names, err := sys.List(ctx, path)
	if err != nil || len(names) == 0 {
		return err
	}
	r, err := sys.OpenRead(ctx, path)
	if err != nil {
		return err
	}
	defer r.Close()
	for d := json.NewDecoder(bufio.NewReader(r)); ; {
		var v T
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading %s: %w", path, err)
		}
		add(v)
	}
}

// tell says what the job came to.
func (c *command) tell(j job, counts map[string]int64, systems []system) {
	c.note(fmt.Sprintf("files: %d, changes: %d, reviews: %d scored, %d unscored; %s",
		len(j.files), counts[changesScored], counts[reviewsScored], counts[reviewsUnscored], j.out+"/"+runFile))
	for _, w := range []struct{ name, text, dir string }{
		{duplicateIDs, "ids that several changes have, all of which are scored", duplicatesDir},
		{changeWarnings, "warnings about changes", warningsDir},
	} {
		if n := counts[w.name]; n > 0 {
			c.note(fmt.Sprintf("warning: %s: %d (%s/%s)", w.text, n, j.out, w.dir))
		}
	}
	if n := counts[truncatedTexts]; n > 0 {
		c.note(fmt.Sprintf("warning: texts longer than the encoder reads, whose ends are not compared: at least %d", n))
	}
	if c.quiet || len(systems) == 0 {
		return
	}
	slices.SortFunc(systems, byRel)
	table := run.Table{Aligned: true}
	table.Columns = figures.Columns("System", "scored", "unscored", "Con", "Comp", "Rel")
	for _, s := range systems[:min(len(systems), limits.TableSystems)] {
		cells := []string{report.Plain(short(s.System)), fmt.Sprintf("%6d", s.Scored), fmt.Sprintf("%8d", s.Unscored), "-", "-", "-"}
		for i, v := range []*float64{s.Con, s.Comp, s.Rel} {
			if v != nil {
				cells[3+i] = fmt.Sprintf("%.3f", *v)
			}
		}
		table.Rows = append(table.Rows, figures.Row{Cells: cells})
	}
	if more := len(systems) - limits.TableSystems; more > 0 {
		table.Notes = append(table.Notes, fmt.Sprintf("The table has the first %d systems; others are in %s: %d.", limits.TableSystems, systemsFile+ending, more))
	}
	table.Notes = append(table.Notes, "Short signature: "+report.ShortSignature(j.signature))
	_, _ = c.stderr.Write(report.Inert([]byte(table.Text(0))))
}
