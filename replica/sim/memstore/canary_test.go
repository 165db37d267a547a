package memstore_test

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
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

// canarySite is a full cluster on which tiresias decides, and drf tomorrow.
type canarySite struct {
	w        *sim.World
	c        bridge.Config
	db       *memstore.Store
	demoted  demotions
	tomorrow time.Time
}

// demotions are those that stand.
type demotions struct{ list *[]bridge.Demotion }

func (d demotions) ActiveDemotions(context.Context, string) ([]bridge.Demotion, error) {
	return *d.list, nil
}

func newCanarySite(t *testing.T) *canarySite {
	t.Helper()
	w, err := sim.New(sim.Config{ClusterName: "lab", Nodes: sim.UniformNodes(2, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}}})
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		if _, err := w.Submit(sim.JobSpec{User: "ann", Account: "a", GPUs: 8, WorkTime: 90 * time.Hour, TimeLimit: 96 * time.Hour}); err != nil {
			t.Fatal(err)
		}
	}
	s := &canarySite{w: w, c: bridge.DefaultConfig(), db: memstore.New(w.Now, nil, 0), demoted: demotions{&[]bridge.Demotion{}}}
	s.tomorrow = w.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	s.c.ClusterName, s.c.DaemonName, s.c.StopFile = "lab", "test:1", filepath.Join(t.TempDir(), "STOP")
	s.c.Partitions = []bridge.Partition{{Name: "gpu", Mode: bridge.ModeRank, Policy: "tiresias", DecidingPolicy: newPolicy(t, "tiresias"), Canary: &bridge.Canary{
		Policy: "drf", DecidingPolicy: newPolicy(t, "drf"), Weekdays: []time.Weekday{s.tomorrow.Weekday()}, Until: s.tomorrow.AddDate(0, 0, 7), Location: time.UTC,
	}}}
	return s
}

// start begins a new daemon.
func (s *canarySite) start(t *testing.T) *cycle.Loop {
	t.Helper()
	l, err := cycle.New(s.c, cycle.Parts{
		Cluster: sim.DirectCluster{World: s.w}, Journal: s.db, Leadership: s.db, History: s.db, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{}, Demotions: s.demoted,
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: s.w.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// cycles runs some, wants no doubt, and returns who decided in each, and with how many warnings.
func (s *canarySite) cycles(t *testing.T, l *cycle.Loop, count int) (deciders []string, warned int) {
	t.Helper()
	for range count {
		r := l.Step(t.Context())
		for _, d := range r.Doubts {
			t.Errorf("%s: %v", d.Cause, d.Err)
		}
		for _, d := range r.Warnings {
			if d.Cause.IsCandidateDemotion() {
				warned++
			}
		}
		deciders = append(deciders, s.db.LastCycle("gpu").Policy)
		s.w.Advance(s.w.Now().Add(s.c.Interval))
	}
	return deciders, warned
}

// TestACanaryDecidesOnItsDay: from midnight on the candidate decides, from the next on the
// partition's own policy again, without a doubt, and a restart in between changes nothing.
func TestACanaryDecidesOnItsDay(t *testing.T) {
	s := newCanarySite(t)
	var deciders []string
	for _, midnight := range []time.Time{s.tomorrow, s.tomorrow.AddDate(0, 0, 1)} {
		s.w.Advance(midnight.Add(-3 * s.c.Interval))
		before, _ := s.cycles(t, s.start(t), 4)
		after, _ := s.cycles(t, s.start(t), 2)
		deciders = slices.Concat(deciders, before, after)
	}
	own, its := slices.Repeat([]string{"tiresias"}, 3), slices.Repeat([]string{"drf"}, 3)
	if want := slices.Concat(own, its, its, own); !slices.Equal(deciders, want) {
		t.Errorf("%v decided, want %v", deciders, want)
	}
}

// TestADemotedCandidateDecidesOnNoDay: on its day the partition's own policy decides from the next
// cycle on, with what it remembers itself, also in a daemon that starts, and with a warning; the
// partition stays live. Another candidate is not demoted, and cleared it decides again.
func TestADemotedCandidateDecidesOnNoDay(t *testing.T) {
	s := newCanarySite(t)
	s.w.Advance(s.tomorrow.Add(-2 * s.c.Interval))
	l := s.start(t)
	s.cycles(t, l, 4)
	*s.demoted.list = []bridge.Demotion{{Partition: "gpu", Candidate: "drf", By: "a test", Why: "So it is."}}
	for range 2 {
		if deciders, warned := s.cycles(t, l, 2); !slices.Equal(deciders, []string{"tiresias", "tiresias"}) || warned != 2 {
			t.Errorf("%v decided, with %d warnings", deciders, warned)
		}
		if c := s.db.LastCycle("gpu"); c.Mode != bridge.ModeRank {
			t.Errorf("in mode %s", c.Mode)
		}
		l = s.start(t)
	}
	(*s.demoted.list)[0].Candidate = "drf a=1"
	if deciders, warned := s.cycles(t, l, 2); !slices.Equal(deciders, []string{"drf", "drf"}) || warned != 0 {
		t.Errorf("another candidate is demoted: %v decided, with %d warnings", deciders, warned)
	}
}
