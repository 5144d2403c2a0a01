package agreement

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"

	"crscore/eval/resample"
)

// Whatever the numbers, the studies end, and what they report is finite or null:
// encoding/json refuses the rest.
func FuzzStudies(f *testing.F) {
	f.Add([]byte("labels and scores of no meaning, long enough for a dozen reviews of three systems and four changes"), uint8(0))
	f.Add(binary.BigEndian.AppendUint64(nil, math.Float64bits(math.MaxFloat64)), uint8(255))
	f.Add(binary.BigEndian.AppendUint64(nil, math.Float64bits(-5e-324)), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, shape uint8) {
		if len(data) == 0 || len(data) > 200 {
			return
		}
		at := 0
		next := func() byte {
			at++
			return data[(at*(1+at/len(data)))%len(data)]
		}
		number := func() float64 {
			if next()%3 > 0 {
				return float64(int8(next())) / 8
			}
			var b [8]byte
			for i := range b {
				b[i] = next()
			}
			v := math.Float64frombits(binary.BigEndian.Uint64(b[:]))
			if notFinite(v) && shape < 250 {
				return 0
			}
			return v
		}
		var a, b []Row
		var links []Link
		for i := range 16 {
			change, review := string(rune('a'+i/(1+int(shape%16)))), string(rune('A'+i))
			if shape%2 == 0 {
				review = string(rune('A' + i%(1+int(shape%16))))
			}
			human := &Scores{float64(1 + next()%5), 1 + float64(next())/64, float64(1 + next()%5)}
			row := Row{Change: change, Review: review, Human: human}
			for k, rows := range []*[]Row{&a, &b} {
				row.Metric = &Scores{number(), number(), number()}
				if k == 0 && shape%3 == 0 {
					row.Metric.Comp = math.NaN() // the metric has none
				}
				if next()%16 == 0 {
					row.Metric = nil
				}
				*rows = append(*rows, row)
			}
			links = append(links, Link{change, review, i, number(), next()%2 == 0})
		}
		ctx, o := context.Background(), Options{Bootstrap: Bootstrap{Resamples: resample.MinResamples, Workers: 1}, Unscored: Unscored(shape % 2)}
		table, _ := Tabulate(ctx, a, o)
		ranking, _ := Rank(ctx, a, o)
		sensitivity, _ := MeasureSensitivity(ctx, a, o)
		comparison, _ := Compare(ctx, a, b, o)
		matching, _ := Match(ctx, links, []float64{number(), 0, 0.5}, o.Bootstrap)
		whole, _ := Study(ctx, Input{Rows: b, Links: links}, 3, o.Bootstrap)
		for _, v := range []any{table, ranking, sensitivity, comparison, matching, whole} {
			if _, err := json.Marshal(v); err != nil {
				t.Fatal(err)
			}
		}
	})
}
