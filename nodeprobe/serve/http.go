package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// inFlight is how many requests are answered at once; others are sent away.
const inFlight = 4

// Handler serves what the keeper has and the metrics gathered.
func Handler(k *Keeper, metrics prometheus.Gatherer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/sample", func(w http.ResponseWriter, _ *http.Request) { sample(w, k) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { health(w, k) })
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{DisableCompression: true}))
	return limit(mux, inFlight)
}

// Server returns a server for the handler that no slow or talkative client can
// hold.
func Server(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

func sample(w http.ResponseWriter, k *Keeper) {
	body, err := json.Marshal(k.Sample())
	if err != nil {
		http.Error(w, "the sample cannot be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(body, '\n'))
}

// health is 200 while the probe does its work, which it does without a driver
// too, and 503 while nothing answers.
func health(w http.ResponseWriter, k *Keeper) {
	if why := k.Hung(); why != "" {
		http.Error(w, why, http.StatusServiceUnavailable)
		return
	}
	if why := k.Sample().Error; why != "" {
		_, _ = fmt.Fprintln(w, "ok, but:", why)
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

// limit answers 503 to more than n requests at once.
func limit(h http.Handler, n int) http.Handler {
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
