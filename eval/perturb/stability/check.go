package stability

import (
	"context"
	"fmt"
	"slices"

	"crscore/eval/perturb"
	"crscore/eval/perturb/compile"
	"crscore/internal/dataset"
	"crscore/internal/lang"
)

// Made is what a perturbation made of a change.
type Made struct {
	// Perturbation is the perturbation; p0 is the change with a fresh diff.
	Perturbation perturb.Perturbation
	// Record is the variant. Err says why there is none.
	Record *dataset.Record
	Err    error
	// Unchecked says why compilers have no answer, of variants that were given to them.
	Unchecked string

	hunks  bool   // made of hunks, without the whole texts
	broken bool   // compilers found something new
	failed bool   // a compiler is missing, or failed
	of     string // id of the change
	lang   lang.Name
	names  map[string]string
}

// Make makes p0 and the variants of a change. The error is ctx's own.
func Make(ctx context.Context, rec *dataset.Record, list []perturb.Perturbation, seed uint64) ([]*Made, error) {
	original := Read(ctx, rec)
	var out []*Made
	for _, p := range append([]perturb.Perturbation{perturb.Identity()}, list...) {
		m := &Made{Perturbation: p, of: rec.ID, lang: original.text.Lang}
		var v *perturb.Variant
		if m.Record, v, m.Err = original.Variant(ctx, p, seed); m.Err == nil {
			m.names, m.hunks = v.Names, FromHunks(v)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out = append(out, m)
	}
	return out, nil
}

// CheckBatch is how many changes are best checked at once: some compilers take a second to start.
const CheckBatch = 32

// Check asks compilers about the variants of changes, each as Make returns them. A variant with a
// new diagnostic is taken out: it gets its Err.
func Check(ctx context.Context, c *compile.Checker, changes [][]*Made) error {
	var texts []compile.Text
	var of []*Made
	for _, made := range changes {
		for _, m := range made[1:] {
			if m.Err != nil {
				continue
			}
			if m.hunks {
				m.Unchecked = "the whole texts are not known"
				continue
			}
			for _, side := range [][2]*string{{made[0].Record.Old, m.Record.Old}, {made[0].Record.New, m.Record.New}} {
				if *side[0] != *side[1] {
					texts, of = append(texts, compile.Text{Lang: m.lang, Before: *side[0], After: *side[1]}), append(of, m)
				}
			}
		}
	}
	answers, err := c.Check(ctx, texts)
	if err != nil {
		return err
	}
	for i, a := range answers {
		switch m := of[i]; {
		case a.New != "":
			m.Err, m.broken = &perturb.Unfit{Reason: fmt.Sprintf("a new diagnostic of %s: %s", a.Tool, a.New)}, true
		case a.Unchecked != "":
			m.Unchecked, m.failed = a.Unchecked, m.failed || a.Failed
		}
	}
	return nil
}

// Checked counts variants that compilers were asked about.
type Checked struct {
	// Checked is the number of variants without a new diagnostic, Broken that of variants with one,
	// which are left out.
	Checked int `json:"checked"`
	Broken  int `json:"broken"`
	// Unchecked tells why there is no answer about others, which count. Failed is the number of
	// those whose compiler is missing, or failed.
	Unchecked []Left `json:"unchecked"`
	Failed    int    `json:"failed"`
}

// Add counts one of what Check was given.
func (c *Checked) Add(m *Made) {
	switch {
	case m.Perturbation.Group == control:
	case m.broken:
		c.Broken++
	case m.Err != nil:
	case m.Unchecked == "":
		c.Checked++
	default:
		if m.failed {
			c.Failed++
		}
		i := slices.IndexFunc(c.Unchecked, func(l Left) bool { return l.Reason == m.Unchecked })
		if i < 0 {
			i, c.Unchecked = len(c.Unchecked), append(c.Unchecked, Left{Reason: m.Unchecked})
		}
		c.Unchecked[i].Changes++
	}
}
