package server

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts requests.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// NewMetrics registers the metrics of the API.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fairbridge_api_requests_total", Help: "Requests to the API by route and HTTP status.",
		}, []string{"route", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "fairbridge_api_request_seconds", Help: "How long requests to the API took.",
			Buckets: []float64{.001, .003, .01, .03, .1, .2, .5, 1, 3, 10, 30},
		}, []string{"route"}),
	}
	r.MustRegister(m.requests, m.seconds)
	return m
}
