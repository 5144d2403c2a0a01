package viewer

import (
	"fmt"
	"net/url"
	"runtime"
	"testing"

	"crscore/score"
)

// large is the run that a viewer must bear: 10,000 changes with reviews of 10 systems.
var large = sizes{changes: 10_000, systems: 10}

func BenchmarkOpen(b *testing.B) {
	for _, explain := range []bool{false, true} {
		m := make1(b, sizes{changes: large.changes, systems: large.systems, explain: explain})
		b.Run(fmt.Sprintf("explain=%v", explain), func(b *testing.B) {
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				v, err := Open(b.Context(), m.options())
				if err != nil {
					b.Fatal(err)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-kept")
				v.Close()
			}
		})
	}
}

func BenchmarkRescore(b *testing.B) {
	v := view(b, make1(b, large).options())
	for _, rule := range []score.Rule{{Mode: score.Hard, Tau: 0.25}, {Mode: score.Calibrated, Tau: 0.3, Slope: 8}} {
		b.Run(string(rule.Mode), func(b *testing.B) {
			for b.Loop() {
				if _, err := v.rescore(rule); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRows answers a query that no cache has, and a further page of it.
func BenchmarkRows(b *testing.B) {
	v := view(b, make1(b, large).options())
	for _, query := range []string{"", "sort=mean&down=1", "sort=over&beside=human.rel", "mode=hard&tau=0.2&sort=spread", "a=system01&b=system02&sort=diff"} {
		b.Run("first/"+query, func(b *testing.B) {
			for b.Loop() {
				v.cache.lists, v.cache.scores = lru[*listing]{}, lru[*scores]{}
				if _, err := v.apiRows(b.Context(), query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			if _, err := v.apiRows(b.Context(), "sort=mean&from=5000"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSearch answers a query with a text that no search has seen, and waits for its end. Each
// text is in all changes, in one, in none, or has no three bytes.
func BenchmarkSearch(b *testing.B) {
	v := view(b, make1(b, large).options())
	for _, text := range []string{"the value", "change 4321 is", "nobody says this", "zq"} {
		for _, whole := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/whole=%v", text, whole), func(b *testing.B) {
				found := 0
				for b.Loop() {
					v.seek.stop()
					for ended := false; !ended; {
						v.cache.lists = lru[*listing]{}
						a, err := v.apiRows(b.Context(), "q="+url.QueryEscape(text))
						if err != nil {
							b.Fatal(err)
						}
						search := a.(rowsAnswer).Search
						ended, found = search.Ended || !whole, search.Found
					}
				}
				b.ReportMetric(float64(found), "found")
			})
		}
	}
}
