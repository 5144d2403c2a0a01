package smellcheck

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"text/tabwriter"

	"crscore/internal/csvcell"
	"crscore/internal/report"
	"crscore/internal/stdio"
	"crscore/internal/terminal"
	"crscore/smells"
)

// Measured are the blocks of files, or why a file could not be measured.
type Measured struct {
	files  []measured
	Failed int // files that could not be measured
}

type measured struct {
	path   string
	blocks []smells.Block
	err    error
}

// Measure measures files. The error is ctx's own.
func Measure(ctx context.Context, log *terminal.Log, files []File, read Reader) (*Measured, error) {
	out := &Measured{}
	var broken []string
	for i := range files {
		m := measured{path: files[i].path}
		text, err := files[i].read(read)
		line := 0
		if err == nil {
			m.blocks, line, err = smells.FileComplexity(ctx, m.path, text, files[i].lang)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if m.err = err; err != nil {
			out.Failed++
			log.SayOfKind(slog.LevelError, "files that could not be measured", fmt.Sprintf("%s: %v", stdio.Name(m.path), err))
		}
		if line > 0 {
			broken = append(broken, fmt.Sprintf("%s:%d", report.Plain(stdio.Name(m.path)), line))
		}
		out.files = append(out.files, m)
	}
	warnBroken(log, broken)
	return out, nil
}

// Format prints the blocks with a rank or a worse one.
func (m *Measured) Format(format, min string, sort bool) ([]byte, error) {
	var b bytes.Buffer
	if format == "json" {
		err := report.JSON(&b, m.radon(min), "  ")
		return b.Bytes(), err
	}
	rows := m.rows(min)
	if sort {
		slices.SortStableFunc(rows, func(a, b blockRow) int { return cmp.Compare(b.Complexity, a.Complexity) })
	}
	if format == "csv" {
		w := csv.NewWriter(&b)
		_ = w.Write([]string{"path", "line", "end_line", "kind", "class", "name", "complexity", "rank"})
		for _, r := range rows {
			class := ""
			if r.Kind == smells.Method {
				class = r.Class
			}
			_ = w.Write([]string{csvcell.Text(r.path), strconv.Itoa(r.StartLine), strconv.Itoa(r.EndLine), string(r.Kind), csvcell.Text(class), csvcell.Text(r.Name), strconv.Itoa(r.Complexity), r.Rank()})
		}
		w.Flush()
		return b.Bytes(), w.Error()
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range m.files {
		if f.err != nil {
			fmt.Fprintf(w, "%s\terror: %s\n", report.Plain(f.path), report.Plain(f.err.Error()))
		}
	}
	for _, r := range rows {
		name := r.Name
		if r.Kind == smells.Method && r.Class != "" {
			name = r.Class + "." + name
		}
		fmt.Fprintf(w, "%s:%d\t%s %s\t%3d\t%s\n", report.Plain(r.path), r.StartLine, r.Kind, report.Plain(name), r.Complexity, r.Rank())
	}
	w.Flush()
	m.summary(&b)
	return b.Bytes(), nil
}

// blockRow is a block with its file.
type blockRow struct {
	path string
	smells.Block
}

func (m *Measured) rows(min string) (out []blockRow) {
	for _, f := range m.files {
		for i := range f.blocks {
			if f.blocks[i].Rank() >= min {
				out = append(out, blockRow{f.path, f.blocks[i]})
			}
		}
	}
	return out
}

// radon has the shape of radon's JSON. As in "radon cc -j -n RANK", the blocks inside a
// block that is shown are shown with it.
func (m *Measured) radon(min string) map[string]any {
	out := map[string]any{} // JSON sorts its keys
	for _, f := range m.files {
		if f.err != nil {
			out[f.path] = map[string]string{"error": f.err.Error()}
			continue
		}
		blocks := slices.DeleteFunc(smells.Radon(f.blocks), func(b smells.RadonBlock) bool { return b.Rank < min })
		if len(blocks) > 0 {
			out[f.path] = blocks
		}
	}
	return out
}

// summary prints the mean of all functions and methods, whatever their rank.
func (m *Measured) summary(b *bytes.Buffer) {
	total, sum := 0, 0
	for _, f := range m.files {
		for i := range f.blocks {
			if f.blocks[i].Kind != smells.Class {
				total, sum = total+1, sum+f.blocks[i].Complexity
			}
		}
	}
	if total > 0 {
		fmt.Fprintf(b, "\n%d %s, mean complexity %.2f\n", total, map[bool]string{true: "function or method", false: "functions and methods"}[total == 1], float64(sum)/float64(total))
	}
}
