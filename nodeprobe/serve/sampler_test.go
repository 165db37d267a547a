package serve_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/serve"
)

// script answers what it is told to.
type script struct {
	s   nodeprobe.Sample
	err error
}

func (s *script) TakeSample(context.Context) (nodeprobe.Sample, error) { return s.s, s.err }

// rig is a sampler, its source, its clock and its log.
type rig struct {
	*serve.Sampler
	source script
	now    time.Time
	log    bytes.Buffer
}

func newRig() *rig {
	r := &rig{now: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)}
	r.Sampler = serve.NewSampler("n1", &r.source, slog.New(slog.NewTextHandler(&r.log, nil)), func() time.Time { return r.now })
	return r
}

func (r *rig) step(s nodeprobe.Sample, err error) nodeprobe.Sample {
	if err == nil && s.Error == "" {
		s.At = r.now
	}
	r.source = script{s, err}
	r.TakeSample(context.Background())
	return r.Sample()
}

func gpus(busy float64) nodeprobe.Sample {
	return nodeprobe.Sample{Node: "as the child says", GPUs: []nodeprobe.GPU{{UUID: "a", Busy: nodeprobe.KnownValue(busy)}}}
}

func TestSamplerServesTheLastGoodSampleAsStale(t *testing.T) {
	r := newRig()
	if s := r.Sample(); s.Error == "" || !s.At.IsZero() || s.Node != "n1" || s.GPUs == nil {
		t.Errorf("before the first: %+v", s)
	}
	if s := r.step(gpus(0.5), nil); s.Error != "" || s.IsStale || s.Seq != 1 || s.Node != "n1" || len(s.GPUs) != 1 {
		t.Errorf("good: %+v", s)
	}
	r.now = r.now.Add(30 * time.Second)
	if s := r.step(nodeprobe.Sample{}, errors.New("it hangs")); !s.IsStale || s.Error != "it hangs" || s.AgeSeconds != 30 || s.Seq != 1 || s.GPUs[0].Busy != nodeprobe.KnownValue(0.5) {
		t.Errorf("stale: %+v", s)
	}
	if s := r.step(gpus(0.7), nil); s.IsStale || s.Error != "" || s.AgeSeconds != 0 || s.Seq != 2 || s.GPUs[0].Busy != nodeprobe.KnownValue(0.7) {
		t.Errorf("good again: %+v", s)
	}
}

func TestSamplerWithoutADriver(t *testing.T) {
	r := newRig()
	s := r.step(nodeprobe.Sample{Error: "no NVIDIA driver"}, nil)
	if s.Error != "no NVIDIA driver" || s.IsStale || !s.At.IsZero() || len(s.GPUs) != 0 || r.WhyHung() != "" {
		t.Errorf("%+v, hung %q", s, r.WhyHung())
	}
}

func TestSamplerLogsChangesOnly(t *testing.T) {
	r := newRig()
	for range 3 {
		r.step(nodeprobe.Sample{}, errors.New("it hangs"))
	}
	for range 3 {
		r.step(gpus(0), nil)
	}
	if got := strings.Count(r.log.String(), "\n"); got != 2 {
		t.Errorf("%d lines:\n%s", got, r.log.String())
	}
}

func TestStoppingIsNoFailure(t *testing.T) {
	r := newRig()
	r.step(gpus(0), nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.source = script{err: ctx.Err()}
	r.TakeSample(ctx)
	if s := r.Sample(); s.Error != "" {
		t.Errorf("%+v", s)
	}
}
