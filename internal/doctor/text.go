package doctor

import (
	"fmt"
	"slices"
	"strings"

	"crscore/analyzers"
	"crscore/chat"
	"crscore/internal/config"
	"crscore/internal/lang"
	"crscore/internal/models"
	"crscore/internal/report"
	"crscore/internal/spelling"
)

// Print writes the diagnosis as text.
func (d *Diagnosis) Print(p report.Printer) {
	n := 0
	for _, a := range d.Analyzers {
		if a.State == ready {
			n++
		}
	}
	p.Checklist(fmt.Sprintf("Analyzers, for --smells (%d of %d ready)", n, len(d.Analyzers)), d.analyzerRows())
	p.Checklist("Ollama, for --claims ollama:MODEL", d.Ollama.rows())
	p.Checklist("Encoders", d.Encoder.rows())
	rest := []report.Check{{Mark: report.Good, Cells: []string{"git", d.Git.Version}, Text: d.Git.Path}}
	if d.Git.Reason != "" {
		rest[0] = report.Check{Cells: []string{"git", "missing"}, Text: d.Git.Reason}
	}
	cache := report.Check{Mark: report.Good, Cells: []string{"cache", spelling.Bytes(d.Cache.Bytes)}, Text: d.Cache.Path}
	if !d.Cache.Writable {
		cache.Mark, cache.Below = report.Neutral, d.Cache.Reason+" (answers of models and analyzers are not kept)"
	}
	p.Checklist("Git and the cache", append(rest, cache))
	p.Checklist("Configuration", d.Config.rows())
	if len(d.Missing) > 0 {
		var rows []report.Check
		for _, m := range d.Missing {
			rows = append(rows, report.Check{Mark: report.Bad, Text: m})
		}
		p.Checklist("The configuration asks for what is missing", rows)
	}
}

func (d *Diagnosis) analyzerRows() (rows []report.Check) {
	for _, a := range d.Analyzers {
		row := report.Check{Cells: []string{a.Name, a.State, lang.Join(a.Languages)}}
		switch a.State {
		case ready:
			row.Mark, row.Cells[1], row.Text = report.Good, a.Version, a.Path
		case string(analyzers.Missing):
			row.Below = a.Reason
			if a.Install != "" && strings.HasSuffix(a.Reason, a.Install) {
				row.Below = a.Install // the command on a line of its own, for copying
			}
		default:
			row.Mark, row.Text, row.Below = report.Bad, a.Path, a.Reason
		}
		if a.Asked != "" && a.State != ready {
			row.Mark = report.Bad
		}
		rows = append(rows, row)
	}
	return rows
}

func (o ollamaFound) rows() []report.Check {
	var rows []report.Check
	var up []ollamaFound
	for _, server := range append([]ollamaFound{o}, o.Others...) {
		if server.Reason != "" {
			rows = append(rows, report.Check{Cells: []string{"server"}, Text: server.Reason})
			continue
		}
		up = append(up, server)
		rows = append(rows, report.Check{Mark: report.Good, Cells: []string{"server", server.Version}, Text: server.Host})
	}
	shown := make(map[string]bool)
	for _, server := range up {
		for _, m := range server.Models {
			if shown[m.Name] {
				continue
			}
			shown[m.Name] = true
			row := report.Check{Mark: report.Good, Cells: []string{"model", spelling.Bytes(m.Bytes)}, Text: m.Name}
			if row.Below = unlike(up, m.Name); row.Below != "" {
				row.Mark = report.Neutral
			}
			rows = append(rows, row)
		}
	}
	if len(up) > 0 && len(shown) == 0 {
		rows = append(rows, report.Check{Cells: []string{"model", "none"}, Text: "crscore models pull ollama:NAME gets one"})
	}
	return rows
}

// unlike says which servers have a model, if they do not all have the same.
func unlike(servers []ollamaFound, model string) string {
	digests := make(map[string]bool)
	var has []string
	for _, s := range servers {
		digest := "none"
		if i := slices.IndexFunc(s.Models, func(m chat.Local) bool { return m.Name == model }); i >= 0 {
			digest = fmt.Sprintf("%.12s", s.Models[i].Digest)
		}
		digests[digest] = true
		has = append(has, s.Host+" has "+digest)
	}
	if len(digests) < 2 {
		return ""
	}
	return "the servers differ: " + strings.Join(has, ", ")
}

// slowTransformers recommends ONNX Runtime where a model was downloaded. docs/models.md has the
// measurement.
const slowTransformers = "with it a transformer such as MiniLM-L6 is 5.5 times as fast (--backend ort)"

func (e encoderFound) rows() []report.Check {
	rows := []report.Check{{Mark: report.Good, Cells: []string{models.Builtin}, Text: e.Name + " sha256:" + e.SHA256[:12]}}
	for _, m := range e.Models {
		row := report.Check{Mark: report.Good, Cells: []string{"downloaded"}, Text: m.Name + ", " + spelling.Bytes(m.Bytes)}
		if m.State != "ok" {
			row.Mark, row.Below = report.Bad, m.State
			if m.Reason != "" {
				row.Below += ": " + m.Reason
			}
		}
		rows = append(rows, row)
	}
	switch {
	case e.Reason != "":
		rows = append(rows, report.Check{Cells: []string{"downloaded"}, Text: e.Reason})
	case len(e.Models) == 0:
		rows = append(rows, report.Check{Cells: []string{"downloaded"}, Text: "none in " + e.ModelsDir})
	}
	feature := func(there bool, name, yes, no string) {
		row := report.Check{Cells: []string{name}, Text: no}
		if there {
			row.Mark, row.Text = report.Good, yes
		}
		rows = append(rows, row)
	}
	feature(e.ONNXRuntime, "ONNX Runtime", "in this build", "not in this build, which has Go's backend alone (make build TAGS=ort)")
	if !e.ONNXRuntime && len(e.Models) > 0 {
		rows[len(rows)-1].Below = slowTransformers
	}
	feature(e.SIMD, "vectors", "this build has vector instructions", "this build has no vector instructions (make build, on amd64)")
	return rows
}

func (c configFound) rows() (rows []report.Check) {
	user, project := "none", report.Check{Cells: []string{"the project's"}, Text: "no " + config.ProjectFile + " in the root of this work tree"}
	if c.User != "" {
		user = "none at " + c.User
	}
	yours := report.Check{Cells: []string{"yours"}, Text: user}
	for _, f := range c.Files {
		if f.Project {
			project.Mark, project.Text = report.Good, f.Path
		} else {
			yours.Mark, yours.Text = report.Good, f.Path
		}
	}
	rows = append(rows, yours, project)
	for _, s := range []struct{ name, value string }{{"claims", c.Claims}, {"smells", c.Smells}, {"built-in smells", c.Builtin}} {
		if s.value != "" {
			rows = append(rows, report.Check{Mark: report.Good, Cells: []string{s.name}, Text: s.value})
		}
	}
	return rows
}
