package refmetrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// options are those of one metric. Each that a metric asks for becomes a part of its
// signature, in the order of asking.
type options struct {
	given map[string]string
	used  []string // name:value
	known []string // names with what they may be
	err   error
}

// parseOptions reads OPTION=VALUE, joined by colons.
func parseOptions(text string) (*options, error) {
	o := &options{given: map[string]string{}}
	if text == "" {
		return o, nil
	}
	for _, part := range strings.Split(text, ":") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("%q is no option: write NAME=VALUE", part)
		}
		if _, twice := o.given[name]; twice {
			return nil, fmt.Errorf("the option %s is given twice", name)
		}
		o.given[name] = value
	}
	return o, nil
}

// choice returns the value of an option that has a fixed set of them. The first is usual.
func (o *options) choice(name string, values ...string) string {
	v := o.take(name, values[0], strings.Join(values, "|"))
	if !slices.Contains(values, v) {
		o.fail(fmt.Errorf("the option %s is %q: choose %s", name, v, strings.Join(values, ", ")))
	}
	return v
}

// yes returns the value of an option that is yes or no.
func (o *options) yes(name string, usual bool) bool {
	if usual {
		return o.choice(name, "yes", "no") == "yes"
	}
	return o.choice(name, "no", "yes") == "yes"
}

// number returns the value of a numeric option.
func (o *options) number(name string, usual, low, high float64) float64 {
	text := o.take(name, strconv.FormatFloat(usual, 'g', -1, 64), fmt.Sprintf("%g to %g", low, high))
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= low && v <= high) {
		o.fail(fmt.Errorf("the option %s is %q: it must be a number from %g to %g", name, text, low, high))
	}
	return v
}

// note adds a part to the signature that is no option.
func (o *options) note(name, value string) { o.used = append(o.used, name+":"+value) }

func (o *options) take(name, usual, may string) string {
	o.known = append(o.known, name+"="+may)
	v, ok := o.given[name]
	if !ok {
		v = usual
	}
	delete(o.given, name)
	o.note(name, v)
	return v
}

func (o *options) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// finish returns what is wrong with the options, those that nobody asked for among it.
func (o *options) finish() error {
	if o.err != nil || len(o.given) == 0 {
		return o.err
	}
	var left []string
	for name := range o.given {
		left = append(left, name)
	}
	slices.Sort(left)
	if len(o.known) == 0 {
		return fmt.Errorf("there is no option %s: this metric has none", left[0])
	}
	return fmt.Errorf("there is no option %s: there are %s", left[0], strings.Join(o.known, ", "))
}

func (o *options) signature() string {
	if len(o.used) == 0 {
		return ""
	}
	return "|" + strings.Join(o.used, "|")
}
