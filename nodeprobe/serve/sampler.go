// Package serve keeps a node's newest sample and serves it: as JSON for the
// bridge (/v1/sample), for Prometheus (/metrics), and its own state (/healthz).
// While the driver does not answer, the last good sample is served and marked
// stale.
package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"fairbridge/nodeprobe"
)

// SampleSource takes samples. The error means that none could be taken; a sample
// whose Error is set means that there is no working driver.
type SampleSource interface {
	TakeSample(context.Context) (nodeprobe.Sample, error)
}

// Sampler takes samples regularly and keeps the last good one.
type Sampler struct {
	// Reports tells what jobs said of their progress; nil: nothing. It is set
	// before the sampler is used.
	Reports func() []nodeprobe.ProgressReport

	source SampleSource
	log    *slog.Logger
	now    func() time.Time

	mu                         sync.Mutex
	lastGoodSample             nodeprobe.Sample // the last with a working driver; zero At: none yet
	lastGoodAt                 time.Time        // when it was taken, by the steady clock
	lastFailure                string           // why there is none since; "" when there is
	isHung                     bool             // nothing answered at the last try
	attemptCount, failureCount uint64
}

// NewSampler returns a sampler for the node that has no sample yet.
func NewSampler(node string, source SampleSource, log *slog.Logger, now func() time.Time) *Sampler {
	return &Sampler{source: source, log: log, now: now, lastFailure: "no sample was taken yet",
		lastGoodSample: nodeprobe.Sample{Node: node, GPUs: []nodeprobe.GPU{}}}
}

// Run takes a sample at once and then every interval until the context ends,
// and calls after when each is done, whether it was good or not.
func (p *Sampler) Run(ctx context.Context, every time.Duration, after func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		p.TakeSample(ctx)
		after()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// TakeSample takes one sample.
func (p *Sampler) TakeSample(ctx context.Context) {
	s, err := p.source.TakeSample(ctx)
	if ctx.Err() != nil {
		return // stopping, not failing
	}
	why := s.Error
	if err != nil {
		why = err.Error()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logChange(why)
	p.attemptCount++
	p.isHung, p.lastFailure = err != nil, why
	if why != "" {
		p.failureCount++
		return
	}
	p.keepSample(s)
}

// logChange logs a change, not a state.
func (p *Sampler) logChange(why string) {
	switch {
	case why != "" && p.lastFailure != why:
		p.log.Warn("no fresh sample of the GPUs", "why", why)
	case why == "" && p.lastFailure != "":
		p.log.Info("the GPUs are sampled")
	}
}

func (p *Sampler) keepSample(s nodeprobe.Sample) {
	var before *nodeprobe.Sample
	if !p.lastGoodSample.At.IsZero() {
		before = &p.lastGoodSample
	}
	s.Node, s.Seq = p.lastGoodSample.Node, p.lastGoodSample.Seq+1
	s.CompleteFrom(before)
	p.lastGoodSample, p.lastGoodAt = s, p.now()
}

// Sample returns the last good sample with its age, marked stale when newer
// ones failed. Its slices must not be changed.
func (p *Sampler) Sample() nodeprobe.Sample {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.lastGoodSample
	s.Error = p.lastFailure
	if p.Reports != nil {
		s.ProgressReports = p.Reports()
	}
	if !s.At.IsZero() {
		s.IsStale = p.lastFailure != ""
		s.AgeSeconds = p.now().Sub(p.lastGoodAt).Seconds()
	}
	return s
}

// WhyHung says why nothing answers, "" when the driver or its absence was seen at
// the last try.
func (p *Sampler) WhyHung() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isHung {
		return p.lastFailure
	}
	return ""
}

// CountAttempts returns how many samples were tried and how many failed.
func (p *Sampler) CountAttempts() (tries, failures uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.attemptCount, p.failureCount
}

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
