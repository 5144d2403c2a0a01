package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"crscore/internal/models"
	"crscore/internal/report"
	"crscore/internal/setup"
	"crscore/sts"
	"crscore/sts/builtin"
)

// listed is a row of models list.
type listed struct {
	Name     string   `json:"name"`
	Revision string   `json:"revision,omitempty"`
	Refs     []string `json:"refs,omitempty"`
	State    string   `json:"state"`            // builtin, ok, damaged, partial or absent
	Reason   string   `json:"reason,omitempty"` // what is damaged
	Bytes    int64    `json:"bytes,omitempty"`  // on disk
	Dir      string   `json:"dir,omitempty"`
	What     string   `json:"what,omitempty"`
	Use      string   `json:"use,omitempty"` // flags that go with --encoder NAME
}

func modelsList(s streams, dir *string) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the models that are here, and those known to be of use",
		Long: `list shows the built-in model, the downloaded ones and those that the
documentation speaks of. Sizes of files are compared with what was downloaded;
crscore models info NAME compares the checksums too.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := models.Open(*dir)
			if err != nil { // the built-in model is listed all the same
				s.log.warn(err.Error())
			}
			rows, err := list(store)
			if err != nil {
				return err
			}
			return s.printValue(format, rows, func(b *bytes.Buffer) { printList(b, rows, store) })
		},
	}
	twoFormats(cmd, &format, "text or json")
	return cmd
}

// list makes the rows; store is nil where there is no place for a store.
func list(store *models.Store) ([]listed, error) {
	total, err := bytesIn(builtin.Model())
	if err != nil {
		return nil, err
	}
	rows := []listed{{Name: setup.BuiltinName, State: "builtin", Bytes: total, What: builtin.Name}}
	var all []models.Model
	var partials []models.ID
	if store != nil {
		if all, err = store.List(); err != nil {
			return nil, err
		}
		if partials, err = store.Partials(); err != nil {
			return nil, err
		}
	}
	known := make(map[string]models.Known)
	for _, k := range models.Documented() {
		known[k.Name] = k
	}
	here := make(map[string]bool)
	for _, m := range all {
		here[m.Name] = true
		row := listed{Name: m.Name, Revision: m.Revision, Refs: m.Refs, State: "ok", Bytes: m.Bytes(), Dir: m.Dir, What: known[m.Name].What, Use: known[m.Name].Use}
		if m.Err != nil {
			row.State, row.Reason = "damaged", strings.ReplaceAll(m.Err.Error(), "\n", "; ")
		}
		rows = append(rows, row)
	}
	for _, id := range partials {
		here[id.Name] = true
		k := known[id.Name]
		rows = append(rows, listed{Name: id.Name, State: "partial", Bytes: store.Partial(id), What: k.What, Use: k.Use})
	}
	for _, k := range models.Documented() {
		if !here[k.Name] {
			rows = append(rows, listed{Name: k.Name, State: "absent", What: k.What, Use: k.Use})
		}
	}
	return rows, nil
}

func printList(b *bytes.Buffer, rows []listed, store *models.Store) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tREVISION\tSIZE\tSTATE")
	var notes []string
	for _, r := range rows {
		rev, bytes, state := "-", "-", r.State
		if r.Revision != "" {
			rev = r.Revision[:12]
		}
		if r.Bytes > 0 {
			bytes = size(r.Bytes)
		}
		switch r.State {
		case "builtin":
			state = "part of crscore (" + r.What + ")"
		case "damaged":
			state = "damaged: " + report.Plain(r.Reason)
		case "partial":
			state = "interrupted: pull it again"
		case "absent":
			state = "not downloaded"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, rev, bytes, state)
		if r.What != "" && r.State != "builtin" {
			note := fmt.Sprintf("%s: %s", r.Name, r.What)
			if r.Use != "" {
				note += "; use it with " + r.Use
			}
			notes = append(notes, note)
		}
	}
	w.Flush()
	if store != nil {
		fmt.Fprintf(b, "\nDownloaded models are in %s\n", report.Plain(store.Dir))
	}
	for _, n := range notes {
		fmt.Fprintln(b, n)
	}
}

// size rounds a number of bytes.
func size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n), 0
	for v >= 999.95 && unit < 4 {
		v /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %s", v, [...]string{"B", "kB", "MB", "GB", "TB"}[unit])
}

func bytesIn(dir fs.FS) (n int64, err error) {
	err = fs.WalkDir(dir, ".", func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		st, err := e.Info()
		if err == nil {
			n += st.Size()
		}
		return err
	})
	return n, err
}

// described is the output of models info.
type described struct {
	Name     string             `json:"name"`
	Revision string             `json:"revision,omitempty"`
	Refs     []string           `json:"refs,omitempty"`
	Dir      string             `json:"dir,omitempty"`
	Bytes    int64              `json:"bytes,omitempty"` // of the files in Files
	Files    []models.FileState `json:"files"`           // empty for a folder without checksums
	// CrossEncoder says what the model makes of a pair of texts, if it is a cross-encoder.
	CrossEncoder string `json:"cross_encoder,omitempty"`
	// Refused says why crscore score does not take the model; Warnings are what it says of it.
	Refused  string   `json:"refused,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	models.Card
	cross bool // it is a cross-encoder, of use or not
}

func modelsInfo(s streams, dir *string) *cobra.Command {
	var format string
	var how setup.Encoder
	cmd := &cobra.Command{
		Use:   "info NAME|FOLDER",
		Short: "Describe a model and check its files",
		Long: `info says what a model is, as its own files say it, compares the files with the
checksums of its download, and opens the model as score does: it says what score refuses
or warns of. The built-in model is called builtin.

Exit codes: 0 all right; 2 no such model, or score refuses it; 3 a file is damaged or missing.`,
		Example: `  crscore models info builtin
  crscore models info mixedbread-ai/mxbai-embed-large-v1
  crscore models info ./my-model --format json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePulled(dir, setup.BuiltinName),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := how.CheckBackend(); err != nil {
				return err
			}
			d, err := describe(cmd.Context(), args[0], *dir, &how)
			if err != nil {
				return err
			}
			if err := s.printValue(format, d, d.print); err != nil {
				return err
			}
			bad := len(d.Problems)
			for _, f := range d.Files {
				if f.State != models.Intact {
					bad++
				}
			}
			if bad > 0 {
				hint := ""
				if d.Revision != "" {
					hint = "; run crscore models pull " + d.Name + "@" + d.Revision
				}
				return incomplete{fmt.Errorf("damaged or missing: %d%s", bad, hint)}
			}
			if d.Refused != "" {
				return refused{fmt.Errorf("score refuses the model: %s", d.Refused)}
			}
			return nil
		},
	}
	twoFormats(cmd, &format, "text or json")
	addOpening(cmd, &how)
	return cmd
}

func describe(ctx context.Context, name, storeDir string, how *setup.Encoder) (d described, err error) {
	files := builtin.Model()
	d.Name, d.Files = name, []models.FileState{}
	if name == setup.BuiltinName {
		d.Name = builtin.Name
		if d.Files, err = builtinFiles(files); err != nil {
			return d, err
		}
	} else {
		find := models.Find // it needs no store for the name of a folder
		if storeDir != "" {
			store, err := models.Open(storeDir)
			if err != nil {
				return d, err
			}
			find = store.Find
		}
		m, err := find(name)
		if err != nil && m.Dir == "" {
			return d, err
		}
		d.Dir, files = m.Dir, os.DirFS(m.Dir)
		if man, err := models.ReadManifest(files); err == nil {
			d.Name, d.Revision, d.Refs = man.Name, man.Revision, man.Refs
			if d.Files, err = man.Verify(ctx, files); err != nil {
				return d, err
			}
		} else if m.Name != "" { // a model of the store; a folder has no name
			d.Name, d.Revision = m.Name, m.Revision
			d.Problems = append(d.Problems, err.Error())
		} else if !errors.Is(err, fs.ErrNotExist) {
			d.Problems = append(d.Problems, err.Error())
		}
	}
	problems := d.Problems
	d.Card, err = models.Describe(files)
	if err != nil && d.Revision == "" {
		return d, fmt.Errorf("%s: %w", report.Plain(name), err)
	}
	if d.try(ctx, files, how) { // what else is amiss keeps score from nothing
		d.Warnings, d.Card.Problems = append(d.Warnings, d.Card.Problems...), nil
	}
	d.Problems = append(problems, d.Card.Problems...)
	for _, f := range d.Files {
		d.Bytes += f.Size
	}
	return d, nil
}

// try opens the model as score does, and says what score would. A cross-encoder is opened as one.
// It reports whether score takes the model.
func (d *described) try(ctx context.Context, files fs.FS, how *setup.Encoder) bool {
	var model interface{ Close() error }
	var err error
	switch d.cross, d.CrossEncoder, err = sts.InspectCrossEncoder(files, how.File); {
	case d.cross && err != nil:
		d.Card.Problems = append(d.Card.Problems, "as a cross-encoder: "+err.Error())
		return false
	case d.cross:
		model, err = how.OpenCross(ctx, d.Dir, "")
	default:
		var e *sts.ModelEncoder
		if e, err = how.Load(ctx, d.Dir, ""); err == nil {
			model, d.Warnings = e, e.Notes()
		}
	}
	if err != nil {
		d.Refused = err.Error()
		return false
	}
	_ = model.Close() // it was for the look alone
	return true
}

// builtinFiles checks the built-in model against its list of checksums.
func builtinFiles(dir fs.FS) ([]models.FileState, error) {
	b, err := fs.ReadFile(dir, builtin.SumsFile)
	if err != nil {
		return nil, err
	}
	var files []models.FileState
	for line := range strings.Lines(string(b)) {
		want, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return nil, fmt.Errorf("a bad line in the built-in %s: %q", builtin.SumsFile, line)
		}
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		f := models.FileState{File: models.File{Path: name, Size: int64(len(data)), SHA256: want}, State: models.Intact}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			f.State = models.WrongSum
		}
		files = append(files, f)
	}
	return files, nil
}

func (d *described) print(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	row := func(what, value string) {
		if value == "" || value == "0" {
			value = "not stated"
		}
		fmt.Fprintf(w, "%s\t%s\n", what, report.Plain(value))
	}
	num := func(n int) string { return fmt.Sprint(n) }
	row("model", d.Name)
	if d.Revision != "" {
		row("revision", d.Revision+" ("+strings.Join(d.Refs, ", ")+")")
	}
	if d.Dir != "" {
		row("folder", d.Dir)
	}
	kind := d.Architecture
	if d.Type != "" {
		kind = strings.TrimSpace(kind + " (" + d.Type + ")")
	}
	row("architecture", kind)
	row("dimensions", num(d.Dim))
	row("layers", num(d.Layers))
	row("positions", num(d.Positions))
	row("max tokens", num(d.MaxTokens))
	row("tokenizer", d.Tokenizer)
	row("vocabulary", num(d.Vocabulary))
	pooling := strings.Join(d.Pooling, ", ")
	if d.Normalized {
		pooling += ", scaled to length 1"
	}
	if d.cross {
		row("cross-encoder", d.CrossEncoder)
	} else {
		row("pooling", pooling)
	}
	if len(d.Prompts) > 0 {
		row("prompts", strings.Join(d.Prompts, ", "))
	}
	row("licence", d.License)
	for _, o := range d.ONNX {
		text := o.Path + ", " + size(o.Bytes)
		if len(o.Data) > 0 {
			text += ", with " + strings.Join(o.Data, ", ")
		}
		row("ONNX file", text)
	}
	w.Flush()
	b.WriteString("\n")
	if len(d.Files) == 0 {
		b.WriteString("No checksums: this folder was not downloaded by crscore.\n")
	} else {
		w = tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		for _, f := range d.Files {
			fmt.Fprintf(w, "%s\t%s\t%s\t%.12s\n", f.State, report.Plain(f.Path), size(f.Size), f.SHA256)
		}
		w.Flush()
	}
	for _, p := range d.Problems {
		fmt.Fprintf(b, "problem: %s\n", report.Plain(p))
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(b, "warning: %s\n", report.Plain(w))
	}
	if d.Refused != "" {
		fmt.Fprintf(b, "problem: %s\n", report.Plain(d.Refused))
	}
}
