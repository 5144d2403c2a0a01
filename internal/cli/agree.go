package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/agreement"
	"crscore/internal/dataset"
	"crscore/internal/report"
	"crscore/pseudoref"
	"crscore/score"
)

func agreeCommand(s streams) *cobra.Command {
	var flags engineFlags
	var data, scores, format string
	cmd := &cobra.Command{
		Use:   "agree",
		Short: "Measure how well the scores agree with human labels",
		Long: `agree scores a labelled dataset and reports Spearman's ρ and Kendall's τ-b of
con, comp and rel with the human labels; and where annotators linked reviews to
references, the ROC-AUC of the similarity on these links. It also tells τ by the
paper's rule: the mean over sentences of their best similarity. Where annotators
marked points as necessary, it counts those that some reference matches.

With --scores it compares the lines that crscore score wrote, of any engine, and
computes nothing again. Human references (reviews called msg) are left out.`,
		Example: `  crscore agree --data labelled.jsonl
  crscore agree --data labelled.jsonl --claims data:magicoder --smells data --mode soft
  crscore agree --data labelled.jsonl --encoder ./all-MiniLM-L6-v2 --mode soft
  crscore score --data labelled.jsonl > scores.jsonl && crscore agree --scores scores.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: choose text or json", format)
			}
			if err := notEmpty(cmd, "data", "scores"); err != nil {
				return err
			}
			if data == "" && scores == "" {
				return errors.New("nothing to compare: give --data LABELLED.jsonl or --scores FILE")
			}
			var rep agreeReport
			var found judged
			var missing, err error
			if scores != "" {
				found.rows, missing, err = readScores(scores, s)
			} else {
				found, missing, err = flags.judge(cmd, data, s, &rep)
			}
			if err != nil {
				return err
			}
			if rep.Report, err = agreement.Study(found.rows, found.links); err != nil {
				return err
			}
			if rep.Coverage, err = agreement.Cover(found.points, found.tau); err != nil {
				return err
			}
			if err := rep.print(s.out, format); err != nil {
				return written(err)
			}
			return missing
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "labelled dataset: a `FILE` in JSON Lines, or - for standard input")
	cmd.Flags().StringVar(&scores, "scores", "", "`FILE` that crscore score --data wrote as jsonl, instead of scoring")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	complete(cmd, "format", "text", "json")
	flags.add(cmd)
	for _, name := range append(flags.names(), "data") {
		cmd.MarkFlagsMutuallyExclusive("scores", name)
	}
	return cmd
}

// agreeReport is the study with what belongs to the run.
type agreeReport struct {
	agreement.Report
	// PaperTau is τ by the paper's rule over the labelled systems' reviews.
	PaperTau  *float64 `json:"paper_tau,omitempty"`
	Signature string   `json:"signature,omitempty"`
}

func (r agreeReport) print(w io.Writer, format string) error {
	var b bytes.Buffer
	if format == "json" {
		if err := report.JSON(&b, r, "  "); err != nil {
			return err
		}
	} else {
		if err := r.WriteText(&b); err != nil {
			return err
		}
		if r.PaperTau != nil {
			fmt.Fprintf(&b, "\nτ by the paper's rule (mean best similarity of all sentences): %.4f\n", *r.PaperTau)
		}
		if r.Signature != "" {
			fmt.Fprintf(&b, "signature %s\n", r.Signature)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// judged is what a study is made of.
type judged struct {
	rows   []agreement.Row
	links  []agreement.Link
	points []agreement.Point
	tau    *float64 // nil in a mode without it
}

// judge scores a dataset and collects scores, labels, links and points.
func (f *engineFlags) judge(cmd *cobra.Command, data string, s streams, rep *agreeReport) (out judged, missing, err error) {
	if err := f.configure(cmd, true); err != nil {
		return judged{}, nil, err
	}
	ctx := cmd.Context()
	e, err := f.engine(ctx, cmd)
	if err != nil {
		return judged{}, nil, err
	}
	defer e.Close()
	if rule := e.Rule(); rule.Mode.UsesTau() {
		out.tau = &rule.Tau
	}
	var total score.Aggregate
	var signatures tally
	noLinks := 0
	run := runner{engine: e, name: data, s: s, tools: &f.tools, strict: true}
	err = run.run(ctx, func(rec *dataset.Record, o crscore.Outcome) error {
		for i, res := range o.Results {
			review := &rec.Reviews[i]
			r := agreement.Row{Change: rec.ID, Review: review.ID}
			if res.Status == crscore.Scored {
				signatures.add(res.Signature)
				r.Metric = &agreement.Scores{Con: res.Con, Comp: res.Comp, Rel: res.Rel}
				if review.ID != dataset.HumanReference {
					total.Add(res.Result)
				}
			}
			if h := review.Human; h != nil {
				r.Human = &agreement.Scores{Con: h.Con, Comp: h.Comp, Rel: h.Rel}
			}
			out.rows = append(out.rows, r)
		}
		l, err := linksOf(ctx, e, rec)
		if err != nil && ctx.Err() == nil {
			complain(s.err, err.Error())
			noLinks++
			return nil
		}
		out.links = append(out.links, l...)
		if err != nil {
			return err
		}
		p, err := pointsOf(ctx, e, rec, o.Refs)
		out.points = append(out.points, p...)
		return err
	})
	if err != nil {
		return judged{}, nil, err
	}
	if tau, ok := total.PaperTau(); ok {
		rep.PaperTau = &tau
	}
	rep.Signature = cmp.Or(signatures.String(), e.Signature())
	missing = run.missing()
	if missing == nil && noLinks > 0 {
		missing = incomplete{fmt.Errorf("incomplete: changes whose links were not compared: %d", noLinks)}
	}
	return out, missing, nil
}

// tally counts the signatures of results, which are several where a source fell
// back to another.
type tally struct {
	names  []string
	counts map[string]int
}

func (t *tally) add(name string) {
	if t.counts == nil {
		t.counts = make(map[string]int)
	}
	if t.counts[name]++; t.counts[name] == 1 {
		t.names = append(t.names, name)
	}
}

// String is the signature, or all of them with the reviews that have each.
func (t *tally) String() string {
	if len(t.names) < 2 {
		return strings.Join(t.names, "")
	}
	parts := make([]string, len(t.names))
	for i, n := range t.names {
		parts[i] = fmt.Sprintf("%s (%d reviews)", n, t.counts[n])
	}
	return strings.Join(parts, "; ")
}

// linksOf compares the reviews of a change with the annotators' own list of
// references. Changes that nobody linked give nothing.
func linksOf(ctx context.Context, e *crscore.Engine, rec *dataset.Record) ([]agreement.Link, error) {
	linked := false
	var texts []string
	for i := range rec.Reviews {
		linked = linked || rec.Reviews[i].Addressed != nil
		texts = append(texts, rec.Reviews[i].Text)
	}
	if !linked || len(rec.RefsEdited) == 0 {
		return nil, nil
	}
	refs := make([]pseudoref.Ref, len(rec.RefsEdited))
	for j := range refs {
		refs[j].Text = rec.RefsEdited[j].Text
	}
	matches, err := e.Match(ctx, refs, texts...)
	if err != nil {
		return nil, fmt.Errorf("comparing the reviews of change %s with the annotators' references: %w", rec.ID, err)
	}
	var out []agreement.Link
	for i := range rec.Reviews {
		review := &rec.Reviews[i]
		if review.Addressed == nil {
			continue
		}
		addressed := make(map[int]bool)
		for _, n := range review.Addressed {
			addressed[n] = true
		}
		for j := range refs {
			best := float32(0)
			for _, row := range matches[i].Sim {
				best = max(best, row[j])
			}
			out = append(out, agreement.Link{
				Change: rec.ID, Review: review.ID, Reference: j + 1, Similarity: float64(best), Addressed: addressed[j+1],
			})
		}
	}
	return out, nil
}

// pointsOf compares what annotators marked as necessary with the references of
// a change: an issue with all of them, a claim with those that are no smells.
func pointsOf(ctx context.Context, e *crscore.Engine, rec *dataset.Record, refs []pseudoref.Ref) ([]agreement.Point, error) {
	var texts []string
	var out []agreement.Point
	for _, p := range rec.RefsEdited {
		if p.Necessary {
			texts = append(texts, p.Text)
			out = append(out, agreement.Point{Change: rec.ID, Kind: p.Kind})
		}
	}
	if len(texts) == 0 || len(refs) == 0 {
		return out, nil
	}
	matches, err := e.Match(ctx, refs, texts...)
	if err != nil {
		return nil, fmt.Errorf("comparing the annotators' references of change %s: %w", rec.ID, err)
	}
	for i := range out {
		for _, row := range matches[i].Sim {
			for j, sim := range row {
				if refs[j].Kind != pseudoref.Smell || out[i].Kind == "issue" {
					out[i].Similarity = max(out[i].Similarity, float64(sim))
				}
			}
		}
	}
	return out, nil
}

// readScores reads the lines of crscore score --data. Labels stand in them.
func readScores(name string, s streams) (rows []agreement.Row, missing, err error) {
	in := s.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		in = f
	}
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, dataset.MaxLineBytes)
	malformed := 0
	for line := 1; sc.Scan(); line++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var r report.Row
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil || r.Status == "" || r.Review == "" {
			malformed++
			complain(s.err, fmt.Sprintf("%s: line %d: not a line of crscore score; it is left out", showInput(name), line))
			continue
		}
		row := agreement.Row{Change: r.ID, Review: r.Review}
		if r.Con != nil && r.Comp != nil && r.Rel != nil {
			row.Metric = &agreement.Scores{Con: *r.Con, Comp: *r.Comp, Rel: *r.Rel}
		}
		if h := r.Human; h != nil {
			row.Human = &agreement.Scores{Con: h.Con, Comp: h.Comp, Rel: h.Rel}
		}
		rows = append(rows, row)
	}
	if err := sc.Err(); err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", showInput(name), err)
	}
	if malformed > 0 {
		missing = incomplete{fmt.Errorf("incomplete: malformed lines: %d", malformed)}
	}
	return rows, missing, nil
}
