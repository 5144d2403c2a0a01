package cli

import (
	"fmt"

	"crscore/eval/agreement/join"
	"crscore/internal/limits"
	"crscore/internal/run"
	"crscore/internal/stdio"
)

// readScores reads the files of scores, and joins them with the dataset by their ids if
// there is one. A file gives a study of each metric that was asked for and that it has. A
// file without any gives a study of its own numbers.
func (f *agreeFlags) readScores(s streams) ([]*join.Study, error) {
	var labels *join.Labels
	var unread error // of the labels
	if f.data != "" {
		var err error
		if labels, unread, err = readLabels(f.data, f.form.options, s); err != nil {
			return nil, err
		}
	}
	var out []*join.Study
	names := fileNames(f.scores)
	if len(names) == 2 && names[0] == names[1] {
		names = []string{"A", "B"}
	}
	found, lacks := map[string]bool{}, map[string]error{} // by metrics that were asked for
	for i, file := range f.scores {
		r := join.File{Labels: labels, All: f.list == allMetrics}
		malformed, err := f.readFile(&r, file, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", stdio.Name(file), err)
		}
		chosen := r.Chosen()
		for _, st := range r.Studies {
			lacks[st.Asked] = fmt.Errorf("%s: %w", stdio.Name(file), st.Lacks)
		}
		for _, st := range chosen {
			st.File = names[i]
			out = append(out, st.Study)
			found[st.Asked] = true
		}
		all := []error{absent("malformed lines", malformed)}
		if labels != nil {
			all = append(all, sayUnmatched(chosen[0].Unmatched, s, names[i], stdio.Name(f.data)))
			if i == 0 {
				all = append(all, unread)
			}
		}
		chosen[0].Missing = joinMissing(all)
	}
	for _, metric := range f.metrics {
		if !found[metric] {
			return nil, lacks[metric]
		}
	}
	join.Name(out, f.list != "")
	if len(out) > limits.ComparedNumbers && f.list == "" {
		return nil, fmt.Errorf("the files have %d of these numbers, and %d are compared at once: leave out a --metric or a --scores",
			len(out), limits.ComparedNumbers)
	}
	return out, nil
}

// readFile reads a file of scores.
func (f *agreeFlags) readFile(r *join.File, file string, s streams) (malformed int, err error) {
	in, err := s.in.Open(file)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	return r.Read(run.Source(file, in), f.metrics, f.worst, sayMalformed(s, file))
}
