package memstore_test

import (
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/sim/memstore"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

func newPolicy(t *testing.T, name string) policy.Policy {
	t.Helper()
	entry, err := catalogue.FindSystem(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := entry.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestACanaryDecidesOnItsDay: from midnight on the candidate decides, from the next on the
// partition's own policy again, without a doubt, and a restart in between changes nothing.
func TestACanaryDecidesOnItsDay(t *testing.T) {
	w, err := sim.New(sim.Config{ClusterName: "lab", Nodes: sim.UniformNodes(2, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}}})
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		if _, err := w.Submit(sim.JobSpec{User: "ann", Account: "a", GPUs: 8, WorkTime: 90 * time.Hour, TimeLimit: 96 * time.Hour}); err != nil {
			t.Fatal(err)
		}
	}
	tomorrow := w.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	c := bridge.DefaultConfig()
	c.ClusterName, c.DaemonName, c.StopFile = "lab", "test:1", filepath.Join(t.TempDir(), "STOP")
	c.Partitions = []bridge.Partition{{Name: "gpu", Mode: bridge.ModeRank, Policy: "tiresias", DecidingPolicy: newPolicy(t, "tiresias"), Canary: &bridge.Canary{
		Policy: "drf", DecidingPolicy: newPolicy(t, "drf"), Weekdays: []time.Weekday{tomorrow.Weekday()}, Until: tomorrow.AddDate(0, 0, 7), Location: time.UTC,
	}}}
	db := memstore.New(w.Now, nil, 0)
	start := func() *cycle.Loop {
		l, err := cycle.New(c, cycle.Parts{
			Cluster: sim.DirectCluster{World: w}, Journal: db, Leadership: db, History: db, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{},
			Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: w.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	var deciders []string
	for _, midnight := range []time.Time{tomorrow, tomorrow.AddDate(0, 0, 1)} {
		w.Advance(midnight.Add(-3 * c.Interval))
		l := start()
		for k := range 6 {
			if k == 4 {
				l = start()
			}
			r := l.Step(t.Context())
			for _, d := range r.Doubts {
				t.Errorf("around %v: %s: %v", midnight, d.Cause, d.Err)
			}
			deciders = append(deciders, db.LastCycle("gpu").Policy)
			w.Advance(w.Now().Add(c.Interval))
		}
	}
	own, its := slices.Repeat([]string{"tiresias"}, 3), slices.Repeat([]string{"drf"}, 3)
	if want := slices.Concat(own, its, its, own); !slices.Equal(deciders, want) {
		t.Errorf("%v decided, want %v", deciders, want)
	}
}
