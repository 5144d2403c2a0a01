package gate

import (
	"context"

	"crscore/change"
	"crscore/internal/commentcheck"
)

// check adds to each comment what the change refutes in it. A change that cannot be checked is
// a warning: "no finding" would be wrong. The error is ctx's own.
func (j *judge) check(ctx context.Context, c *change.Change) error {
	if c == nil {
		c = &change.Change{}
	}
	texts, err := commentcheck.New(c)
	if err != nil {
		j.d.Warnings = append(j.d.Warnings, "the comments are not checked: "+err.Error())
		return nil
	}
	for i := range j.d.Comments {
		if err := ctx.Err(); err != nil {
			return err
		}
		if v := &j.d.Comments[i]; !v.Summary {
			v.Checks = texts.Find(v.Body)
		}
	}
	return nil
}
