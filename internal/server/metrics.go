package server

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"crscore"
)

// metrics are the metrics of a server, in a registry of their own.
type metrics struct {
	registry                           *prometheus.Registry
	requests, rejected, reviews, gates *prometheus.CounterVec
	duration                           *prometheus.HistogramVec
	inFlight, waiting                  prometheus.Gauge
	panics                             prometheus.Counter
}

func newMetrics() *metrics {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("crscore_http_requests_total", "Requests by route and status.", "route", "code"),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "crscore_http_request_duration_seconds", Help: "Time from a request's header to the end of its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"route"}),
		inFlight: gauge("crscore_http_requests_in_flight", "Requests that arrive, wait, are judged or answered."),
		waiting:  gauge("crscore_queue_length", "Requests that wait for a worker."),
		rejected: counters("crscore_requests_rejected_total", "Requests that were not judged, by reason.", "reason"),
		reviews:  counters("crscore_reviews_total", "Reviews and comments, scored and unscored.", "status"),
		gates:    counters("crscore_gate_decisions_total", "Decisions of the gate.", "outcome"),
		panics:   prometheus.NewCounter(prometheus.CounterOpts{Name: "crscore_panics_total", Help: "Requests that ended in a bug."}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "crscore_info", Help: "1, with the version.", ConstLabels: prometheus.Labels{"version": crscore.Version}})
	info.Set(1)
	m.registry.MustRegister(m.requests, m.duration, m.inFlight, m.waiting, m.rejected, m.reviews, m.gates, m.panics, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, reason := range []string{queueFull, timedOut, notReady, slowBody, bodiesFull} {
		m.rejected.WithLabelValues(reason) // show the 0, too
	}
	for _, status := range []crscore.Status{crscore.Scored, crscore.Unscored} {
		m.reviews.WithLabelValues(string(status))
	}
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// The reasons of crscore_requests_rejected_total.
const (
	queueFull  = "queue_full"
	timedOut   = "timed_out"
	notReady   = "not_ready"
	slowBody   = "slow_body"
	bodiesFull = "bodies_full"
)
