package comments

import (
	"fmt"

	"crscore/internal/findings"
)

// readSARIF reads results as comments. Passed and suppressed results stay in the file and
// are no comments.
func (f *File) readSARIF() error {
	results, err := findings.ReadSARIF(f.text)
	if err != nil {
		return err
	}
	at, err := document(f.text)
	if err != nil {
		return err
	}
	log, err := readObject(f.text, at)
	if err != nil {
		return err
	}
	runs, _, err := log.list("runs")
	if err != nil {
		return err
	}
	if len(runs) != len(results) { // a field that occurs twice, in two spellings
		return fmt.Errorf("%d runs where %d were read", len(runs), len(results))
	}
	for i, at := range runs {
		run, err := readObject(f.text, at)
		if err != nil {
			return fmt.Errorf("run %d: %w", i+1, err)
		}
		found, _, err := run.list("results")
		if err != nil {
			return fmt.Errorf("run %d: %w", i+1, err)
		}
		if len(found) != len(results[i]) {
			return fmt.Errorf("run %d: %d results where %d were read", i+1, len(found), len(results[i]))
		}
		f.whole = append(f.whole, slot{object: at, under: "properties"})
		n := 0
		if err := f.addEach("result", found, false, func(o object) (int, error) {
			r := results[i][n]
			n++
			if r.Aside {
				return none, nil
			}
			return f.add(ofFinding(r.Finding), slot{object: o.at, under: "properties"})
		}); err != nil {
			return fmt.Errorf("run %d: %w", i+1, err)
		}
	}
	return nil
}
