package gate

import (
	"crscore/change"
	"crscore/internal/commentcheck"
)

// check adds to each comment what the change refutes in it. A change that cannot be checked is
// a warning: "no finding" would be wrong.
func (j *judge) check(c *change.Change) {
	if c == nil {
		c = &change.Change{}
	}
	texts, err := commentcheck.New(c)
	if err != nil {
		j.d.Warnings = append(j.d.Warnings, "the comments are not checked: "+err.Error())
		return
	}
	for i := range j.d.Comments {
		if v := &j.d.Comments[i]; !v.Summary {
			v.Checks = texts.Find(v.Body)
		}
	}
}
