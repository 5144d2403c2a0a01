package doctor

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

	"crscore/internal/models"
	"crscore/internal/report"
	"crscore/internal/setup"
	"crscore/internal/spelling"
	"crscore/sts"
	"crscore/sts/builtin"
)

// Model is a row of models list.
type Model struct {
	// Refs are the names of the revision, Dir is the folder, What describes the model.
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

// Models makes the rows; store is nil where there is no place for a store.
func Models(store *models.Store) ([]Model, error) {
	total, err := bytesIn(builtin.Model())
	if err != nil {
		return nil, err
	}
	rows := []Model{{Name: models.Builtin, State: "builtin", Bytes: total, What: builtin.Name}}
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
		row := Model{Name: m.Name, Revision: m.Revision, Refs: m.Refs, State: "ok", Bytes: m.Bytes(), Dir: m.Dir, What: known[m.Name].What, Use: known[m.Name].Use}
		if m.Err != nil {
			row.State, row.Reason = "damaged", strings.ReplaceAll(m.Err.Error(), "\n", "; ")
		}
		rows = append(rows, row)
	}
	for _, id := range partials {
		here[id.Name] = true
		k := known[id.Name]
		rows = append(rows, Model{Name: id.Name, State: "partial", Bytes: store.Partial(id), What: k.What, Use: k.Use})
	}
	for _, k := range models.Documented() {
		if !here[k.Name] {
			rows = append(rows, Model{Name: k.Name, State: "absent", What: k.What, Use: k.Use})
		}
	}
	return rows, nil
}

// PrintModels prints the rows as a table.
func PrintModels(b *bytes.Buffer, rows []Model, store *models.Store) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MODEL\tREVISION\tSIZE\tSTATE")
	var notes []string
	for _, r := range rows {
		rev, bytes, state := "-", "-", r.State
		if r.Revision != "" {
			rev = r.Revision[:12]
		}
		if r.Bytes > 0 {
			bytes = spelling.Bytes(r.Bytes)
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

// Described is the output of models info.
type Described struct {
	// Refs are the names of the revision, and Dir is the folder; a folder has no revision.
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

// Describe looks at a model by its name or folder, and opens it as score does.
func Describe(ctx context.Context, name, storeDir string, how setup.Encoder) (d Described, err error) {
	files := builtin.Model()
	d.Name, d.Files = name, []models.FileState{}
	if name == models.Builtin {
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
func (d *Described) try(ctx context.Context, files fs.FS, how setup.Encoder) bool {
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

// Print writes the description as text.
func (d *Described) Print(b *bytes.Buffer) {
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
		text := o.Path + ", " + spelling.Bytes(o.Bytes)
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
			fmt.Fprintf(w, "%s\t%s\t%s\t%.12s\n", f.State, report.Plain(f.Path), spelling.Bytes(f.Size), f.SHA256)
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
