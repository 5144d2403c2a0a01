package score

import (
	"slices"
	"strconv"
	"strings"
)

// What makes numbers: the kinds of runs and of rows.
const (
	KindScore   = "score"   // the engine
	KindJudge   = "judge"   // a language model
	KindMetrics = "metrics" // metrics that compare with human references
	KindBench   = "bench"   // comments that find the references of a pull request
)

// Kinds lists them.
func Kinds() []string { return []string{KindScore, KindJudge, KindMetrics, KindBench} }

// Field is a part of a signature. It is the type of sts.Field: neither package imports the other.
type Field = struct {
	// Name and Value are written as NAME=VALUE.
	Name, Value string
	// Rounding marks what changes no more than the last digits: backend and processor.
	Rounding bool
}

// Signature names everything that shapes a number. Programs ask its fields. Its text is for
// people, and for comparing: String writes it, and only ReadSignature takes it apart.
type Signature []Field

// program is the first field of a signature of ours: "crscore/1.0".
const program = "crscore"

// String returns the text: "crscore/1.0 encoder=x mode=hard tau=0.4".
func (s Signature) String() string {
	words := make([]string, len(s))
	for i, f := range s {
		switch {
		case f.Name == "":
			words[i] = f.Value
		case i == 0 && f.Name == program:
			words[i] = f.Name + "/" + f.Value
		default:
			words[i] = f.Name + "=" + f.Value
		}
	}
	return strings.Join(words, " ")
}

// MarshalText and UnmarshalText are String and ReadSignature: a profile in JSON has the text.
func (s Signature) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Signature) UnmarshalText(text []byte) error {
	if *s = nil; len(text) > 0 {
		*s = ReadSignature(string(text))
	}
	return nil
}

// Get returns the value of the first field of a name, or "".
func (s Signature) Get(name string) string {
	if i := s.index(name); i >= 0 {
		return s[i].Value
	}
	return ""
}

func (s Signature) index(name string) int {
	return slices.IndexFunc(s, func(f Field) bool { return f.Name == name })
}

// Model is the name of the model, without its digest; "" where there is none.
func (s Signature) Model() string {
	name, _, _ := strings.Cut(s.Get("model"), "@")
	return name
}

// Portable leaves out the fields that change no more than the last digits.
func (s Signature) Portable() Signature {
	return slices.DeleteFunc(slices.Clone(s), func(f Field) bool { return f.Rounding })
}

// Around is what stands before the mode with its parameters, and behind: a page that tries another
// rule writes its own between the two. It is nil where there is no mode.
func (s Signature) Around() []string {
	at := s.index("mode")
	if at < 0 {
		return nil
	}
	behind := at + 1
	for behind < len(s) && slices.Contains([]string{"tau", "low", "slope", "comp"}, s[behind].Name) {
		behind++
	}
	return []string{s[:at].String(), s[behind:].String()}
}

// Difference is a field with its values in two signatures, "" where there is none. It has no name
// where the signatures have the same fields in another order.
type Difference struct{ Name, A, B string }

// Differences lists the fields that differ.
func (s Signature) Differences(other Signature) (out []Difference) {
	a, b := s.String(), other.String()
	if a == b { // one of them was read from its text
		return nil
	}
	of := func(s Signature) map[string]string {
		values := make(map[string]string, len(s))
		for _, f := range slices.Backward(s) { // the first of a name counts
			values[f.Name] = f.Value
		}
		return values
	}
	mine, others := of(s), of(other)
	for _, f := range s {
		if v := others[f.Name]; v != f.Value {
			out = append(out, Difference{f.Name, f.Value, v})
		}
	}
	for _, f := range other {
		if mine[f.Name] == "" && f.Value != "" {
			out = append(out, Difference{f.Name, "", f.Value})
		}
	}
	if out == nil {
		out = append(out, Difference{"", a, b})
	}
	return out
}

// ReadSignature takes the text of a signature apart, for what has no fields: runs, rows, matrices
// and profiles of older versions, and rows of other programs. A word without a name, or with the
// name of one before it, belongs to the value before it: names from a dataset have blanks.
// String gives the text again.
func ReadSignature(signature string) (out Signature) {
	seen := map[string]bool{}
	start, at := 0, 0 // of the value, and of the word
	for word := range strings.SplitSeq(signature, " ") {
		name, _, ok := strings.Cut(word, "=")
		if at == 0 && strings.HasPrefix(word, program+"/") {
			name, ok = program, true
		} else if at == 0 && (!ok || name == program) {
			name, ok = "", true
		}
		inside := seen["claims"] && !seen["smells"] && name != "smells" // names of the dataset
		if at == 0 || ok && name != "" && !seen[name] && !inside {
			seen[name] = true
			out = append(out, Field{Name: name, Rounding: name == "backend" || name == "arch"})
			if start = at; name != "" {
				start += len(name) + 1
			}
		}
		out[len(out)-1].Value = signature[start : at+len(word)]
		at += len(word) + 1
	}
	return out
}

// Kind is what has made the numbers of a signature that was read, with the protocol of a judge;
// empty for other programs.
func (s Signature) Kind() (kind, protocol string) {
	judge := s.index("judge")
	switch metrics := s.index("references"); {
	case judge == 0 || judge == 1:
		protocol, _, _ = strings.Cut(s[judge].Value, "/")
		return KindJudge, protocol
	case metrics == 0 || metrics == 1:
		return KindMetrics, ""
	case s.Get(program) != "" && s.index("mode") > 0:
		return KindScore, ""
	}
	return "", ""
}

// LowerIsBetter reports whether the text of a signature is of distances or error rates.
func LowerIsBetter(signature string) bool {
	return strings.Contains(strings.ReplaceAll(signature, " ", "|")+"|", "|better:lower|")
}

// SignatureOf leaves out of the text of a signature the parts of other metrics than one.
func SignatureOf[V any](signature, metric string, metrics map[string]V) string {
	lengths := map[int]bool{} // so that a long word costs no look-up at each of its =
	for name := range metrics {
		lengths[len(name)] = lengths[len(name)] || name != metric
	}
	words := slices.DeleteFunc(strings.Fields(signature), func(word string) bool {
		for i := range word { // a name may have a = too
			if word[i] == '=' && lengths[i] && word[:i] != metric {
				if _, is := metrics[word[:i]]; is {
					return true
				}
			}
		}
		return false
	})
	return strings.Join(words, " ")
}

// Rule is the scoring rule among the fields, if they are what it writes.
func (s Signature) Rule() (Rule, bool) {
	r := Rule{Mode: Mode(s.Get("mode")), Comp: Coverage(s.Get("comp"))}
	for name, to := range map[string]*float64{"tau": &r.Tau, "low": &r.Low, "slope": &r.Slope} {
		*to, _ = strconv.ParseFloat(s.Get(name), 64) // what is no number is not written so
	}
	r.Weights, _ = ParseWeights(s.Get("weights"))
	return r, r.Check() == nil && r.Weights.String() == s.Get("weights") && !slices.ContainsFunc(r.Fields(), func(f Field) bool { return s.Get(f.Name) != f.Value })
}

// cooked is the signature of a splitter without the mark of raw texts. People labelled hardly any
// text with machine-made parts, so that a threshold is the same for both.
func cooked(splitter string) string { return strings.TrimSuffix(splitter, "-raw") }
