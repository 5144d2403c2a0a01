package stability

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"crscore/change"
	"crscore/eval/perturb"
	"crscore/internal/dataset"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Original is a record whose file was read, for all variants of it. It is for one goroutine.
type Original struct {
	rec  *dataset.Record
	text perturb.Text
	file *perturb.File
	err  error // why there is no variant
}

// Read reads the file of a record, or its hunks where the whole texts are not known. A record
// without variants has its reason there.
func Read(ctx context.Context, rec *dataset.Record) *Original {
	o := &Original{rec: rec, text: textOf(rec)}
	if o.text.Old == nil || o.text.New == nil {
		o.file, o.err = perturb.ReadHunks(ctx, o.text.Path, o.text.Lang, rec.Diff)
	} else {
		o.file, o.err = perturb.Read(ctx, o.text)
	}
	return o
}

// Of reads a record and returns one variant of it.
func Of(ctx context.Context, rec *dataset.Record, p perturb.Perturbation, seed uint64) (*dataset.Record, *perturb.Variant, error) {
	return Read(ctx, rec).Variant(ctx, p, seed)
}

// Variant returns a variant of the record: its two texts rewritten, a fresh diff of them, and its
// reviews with the new names of variables. Hunks alone have no perturbation but p8. Ready claims
// and smells are of the original, and left out. The id is that of the record, the perturbation and
// the seed: 7988#p8.1. The error is perturb.ErrUnfit where the record has no variant.
func (o *Original) Variant(ctx context.Context, p perturb.Perturbation, seed uint64) (*dataset.Record, *perturb.Variant, error) {
	if o.err != nil {
		return nil, nil, o.err
	}
	rec, t := o.rec, o.text
	v, err := o.file.Apply(ctx, p, fmt.Sprintf("%s %d", rec.ID, seed))
	if err != nil {
		return nil, nil, err
	}
	out := *rec
	out.ID = fmt.Sprintf("%s#%s.%d", rec.ID, p.ID, seed)
	out.Path, out.Claims, out.NoClaims, out.Smells, out.RefsEdited = t.Path, nil, nil, nil, nil
	if out.Diff = v.Diff; !FromHunks(v) {
		out.Old, out.New = &v.Old.Text, &v.New.Text
		out.Diff = perturb.Diff(t.Path, out.Old, out.New)
	}
	out.Reviews = make([]dataset.Review, len(rec.Reviews))
	for i, r := range rec.Reviews {
		r.Text = Renamed(r.Text, v.Names)
		out.Reviews[i] = r
	}
	return &out, v, nil
}

// FromHunks reports whether a variant was made of hunks, without the whole texts.
func FromHunks(v *perturb.Variant) bool { return v.Old == nil || v.New == nil }

// textOf is the file of a record, with nil for a text that is not known.
func textOf(rec *dataset.Record) perturb.Text {
	t := perturb.Text{Path: rec.Path, Old: lineFeeds(rec.Old), New: lineFeeds(rec.New)}
	t.Lang, _ = lang.Lookup(rec.Lang)
	if c, err := change.Parse([]byte(rec.Diff), change.Options{Path: t.Path, Lang: t.Lang, Old: t.Old, New: t.New}); err == nil && len(c.Files) == 1 {
		f := &c.Files[0]
		t.Path, t.Lang = cmp.Or(t.Path, f.Path()), cmp.Or(t.Lang, f.Lang)
		for side, text := range map[change.Side]**string{change.Old: &t.Old, change.New: &t.New} {
			if whole, ok := f.Whole(side); ok && *text == nil { // such as that of an added file
				*text = &whole
			}
		}
	}
	t.Lang = cmp.Or(t.Lang, lang.FromPath(t.Path))
	t.Path = cmp.Or(t.Path, "file"+t.Lang.Ext())
	return t
}

// lineFeeds turns the line ends of DOS into line feeds, as change.Parse does. Where a text has
// both, it stays as it is.
func lineFeeds(text *string) *string {
	if text == nil || strings.Count(*text, "\r\n") != strings.Count(*text, "\n") {
		return text
	}
	feeds := strings.ReplaceAll(*text, "\r\n", "\n")
	return &feeds
}

var (
	codeSpan = regexp.MustCompile("```[^`]*```|`[^`\n]*`")
	word     = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)
	coded    = regexp.MustCompile(`[\pN_$]|\p{Ll}\p{Lu}`) // what no word of a language has
)

// Renamed gives variables their new names in a text: all words of code spans, and outside only
// those that no natural language has, such as tmpCount and max_len.
func Renamed(text string, names map[string]string) string {
	if len(names) == 0 {
		return text
	}
	replace := func(part string, code bool) string {
		return word.ReplaceAllStringFunc(part, func(w string) string {
			if to := names[w]; to != "" && (code || coded.MatchString(w)) {
				return to
			}
			return w
		})
	}
	var b strings.Builder
	at := 0
	for _, s := range codeSpan.FindAllStringIndex(text, -1) {
		b.WriteString(replace(text[at:s[0]], false))
		b.WriteString(replace(text[s[0]:s[1]], true))
		at = s[1]
	}
	b.WriteString(replace(text[at:], false))
	return b.String()
}

// MarshalJSON writes the variant as a line of a dataset. Its member of is the id of the change; hunks says that
// the names were changed in the hunks alone, and that old and new are not known.
func (m *Made) MarshalJSON() ([]byte, error) {
	rec := *m.Record
	rec.Reviews = nil
	for _, r := range m.Record.Reviews {
		if r.Err == nil { // its links are to references of the change
			rec.Reviews = append(rec.Reviews, dataset.Review{ID: r.ID, Text: r.Text, Human: r.Human})
		}
	}
	more := dataset.Members[any]{{Name: "of", Value: m.of}, {Name: "perturbation", Value: m.Perturbation.ID}, {Name: "old", Value: rec.Old}, {Name: "new", Value: rec.New}}
	if len(m.names) > 0 {
		more = append(more, dataset.Member[any]{Name: "names", Value: m.names})
	}
	if m.hunks {
		more = append(more, dataset.Member[any]{Name: "hunks", Value: true})
	}
	return rec.Written(more, "id", "lang", "path", "repo", "pull", "of", "perturbation", "names", "diff", "hunks", "old", "new", "reviews").MarshalJSON()
}
