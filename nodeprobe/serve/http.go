package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxParallelRequests is how many requests are answered at once; others are sent away.
const maxParallelRequests = 4

// NewHandler serves what the sampler has and the metrics gathered.
func NewHandler(k *Sampler, metrics prometheus.Gatherer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/sample", func(w http.ResponseWriter, _ *http.Request) { serveSample(w, k) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { serveHealth(w, k) })
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{DisableCompression: true}))
	return limitRequests(mux, maxParallelRequests)
}

func serveSample(w http.ResponseWriter, k *Sampler) {
	body, err := json.Marshal(k.Sample())
	if err != nil {
		http.Error(w, "the sample cannot be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(body, '\n'))
}

// serveHealth is 200 while the probe does its work, which it does without a driver
// too, and 503 while nothing answers.
func serveHealth(w http.ResponseWriter, k *Sampler) {
	if why := k.WhyHung(); why != "" {
		http.Error(w, why, http.StatusServiceUnavailable)
		return
	}
	if why := k.Sample().Error; why != "" {
		_, _ = fmt.Fprintln(w, "ok, but:", why)
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

// limitRequests answers 503 to more than n requests at once.
func limitRequests(h http.Handler, n int) http.Handler {
	room := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
			h.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
		}
	})
}
