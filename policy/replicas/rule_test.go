package replicas_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/replicas"
)

// TestCount: a rule counts by what is known, within what was promised, and all where requests should be known and are not.
func TestCount(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	steady := []float64{50, 50, 50}
	forecast := replicas.Rule{By: "forecast", Busy: 60}
	busy := replicas.Rule{By: "utilisation", Busy: 60}
	for name, c := range map[string]struct {
		rule        replicas.Rule
		scaling     policy.ReplicaScaling
		start, keep int
		says        string
	}{
		"the promise":         {forecast, policy.ReplicaScaling{Rates: steady}, 7, 7, "50 requests a second are forecast"},
		"how busy they are":   {busy, policy.ReplicaScaling{Rates: steady}, 9, 9, "keep them busy for 60 %"},
		"busy until lately":   {replicas.Rule{By: "utilisation", Busy: 60, Retire: 2 * time.Minute}, policy.ReplicaScaling{Rates: []float64{60, 60, 12}}, 2, 10, "12 requests a second"},
		"spare ones":          {replicas.Rule{By: "utilisation", Busy: 60, Warm: 1}, policy.ReplicaScaling{Rates: steady, Spare: 1}, 11, 11, ""},
		"at most":             {busy, policy.ReplicaScaling{Rates: steady, Most: 4, Spare: 1}, 4, 4, ""},
		"at least":            {busy, policy.ReplicaScaling{Rates: []float64{0}, Least: 2}, 2, 2, ""},
		"silent":              {busy, policy.ReplicaScaling{Rates: nil, UnknownReason: "job 7 is silent"}, 12, 12, "not known: job 7 is silent"},
		"silent, but bound":   {busy, policy.ReplicaScaling{Most: 8, UnknownReason: "job 7 is silent"}, 8, 8, ""},
		"all, whatever comes": {replicas.Rule{By: "peak"}, policy.ReplicaScaling{Rates: steady}, 12, 12, "all its replicas run"},
	} {
		c.scaling.RateWindow, c.scaling.ServiceTime = time.Minute, 100*time.Millisecond
		c.scaling.ResponseWithin, c.scaling.ResponsePart = 500*time.Millisecond, .99
		v := &replicas.Service{InferenceService: &policy.InferenceService{Name: "chat", Scaling: &c.scaling}, Running: make([]*policy.Job, 8), Waiting: []*policy.Job{{Tasks: 3}, {}}}
		if d := c.rule.Count(v, now); d.Start != c.start || d.Keep != c.keep || !strings.Contains(d.Why, c.says) {
			t.Errorf("%s: %+v, want %d and %d", name, d, c.start, c.keep)
		}
	}
}
