package stores

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/storetest"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
)

// site is a simulated Slurm of two nodes with eight GPUs each, and a daemon on a
// database. Slurm's time is virtual: each cycle takes it one interval further.
type site struct {
	sim.DirectCluster
	t      *testing.T
	store  storetest.Store
	conf   bridge.Config
	loop   *cycle.Loop
	sent   []slurm.Edit
	answer func(slurm.Edit) error // what Apply answers instead of applying; nil: apply
	ahead  time.Duration          // of Slurm's clock, for all who look at clocks
	demote bridge.Demotions       // nil: no partition is demoted
}

func newWorld(t *testing.T) *sim.World {
	t.Helper()
	w, err := sim.New(sim.Config{
		ClusterName: "lab", Nodes: sim.UniformNodes(2, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}},
		BackfillInterval: -1, RequeueDelay: 10 * time.Second, FullPassInterval: 30 * time.Second,
	})
	must(t, err)
	return w
}

// newSite lets a daemon order the partition in the mode, by the policy.
func newSite(t *testing.T, w *sim.World, store storetest.Store, mode bridge.Mode, name string) *site {
	t.Helper()
	entry, err := catalogue.FindSystem(name)
	must(t, err)
	decide, err := entry.New(nil)
	must(t, err)
	s := &site{DirectCluster: sim.DirectCluster{World: w}, t: t, store: store, conf: bridge.DefaultConfig()}
	s.conf.ClusterName, s.conf.DaemonName, s.conf.StopFile = "lab", "test:1", ""
	g := &s.conf.Budgets
	g.Quantum, g.Cooldown, g.GainFactor, g.StopPercent, g.StopPercent1h, g.LostPercent24h = time.Minute, time.Minute, 0, 100, 1000, 100
	s.conf.Partitions = []bridge.Partition{{Name: "gpu", Mode: mode, Policy: name, DecidingPolicy: decide}}
	s.restart()
	return s
}

// restart begins a new daemon, as after a crash.
func (s *site) restart() { s.loop = s.daemon(s.store) }

func (s *site) daemon(j bridge.Journal) *cycle.Loop {
	s.t.Helper()
	l, err := cycle.New(s.conf, cycle.Parts{
		Cluster: s, Journal: j, Leadership: s.store, History: clocked{s.store, s.now}, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{}, Demotions: s.demote,
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: s.now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	must(s.t, err)
	return l
}

func (s *site) now() time.Time { return s.World.Now().Add(s.ahead) }

// clocked is a database with Slurm's clock.
type clocked struct {
	bridge.History
	now func() time.Time
}

func (c clocked) Clock(context.Context) (time.Time, error) { return c.now(), nil }

func (s *site) Observe(ctx context.Context) (*slurm.View, error) {
	v, err := s.DirectCluster.Observe(ctx)
	v.At = v.At.Add(s.ahead)
	return v, err
}

func (s *site) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	s.sent = append(s.sent, e)
	if s.answer != nil {
		if err := s.answer(e); err != nil {
			return err
		}
	}
	return s.DirectCluster.ApplyEdit(ctx, e)
}

func (s *site) submit(spec sim.JobSpec) int64 {
	s.t.Helper()
	id, err := s.World.Submit(spec)
	must(s.t, err)
	return id
}

func (s *site) forward(by time.Duration) { s.World.Advance(s.World.Now().Add(by)) }

// full fills the cluster with two long jobs of one user.
func (s *site) full(comment string) {
	for range 2 {
		s.submit(sim.JobSpec{User: "hog", Account: "x", GPUs: 8, WorkTime: 5 * time.Hour, TimeLimit: 6 * time.Hour, Comment: comment, Checkpoints: true})
	}
	s.forward(time.Minute)
}

// wait puts n jobs in line.
func (s *site) wait(n int) {
	for range n {
		s.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, WorkTime: 10 * time.Minute, TimeLimit: 30 * time.Minute})
	}
}

// cycles runs n cycles and returns the last report.
func (s *site) cycles(n int) (last cycle.Report) {
	s.t.Helper()
	for range n {
		last = s.loop.Step(s.t.Context())
		s.forward(s.conf.Interval)
	}
	return last
}

// kind returns what was sent of a kind.
func (s *site) kind(k slurm.EditKind) (list []slurm.Edit) {
	for _, e := range s.sent {
		if e.Kind == k {
			list = append(list, e)
		}
	}
	return list
}

// ledger counts the intents by state.
func (s *site) ledger() map[bridge.IntentState]int {
	s.t.Helper()
	all, err := s.store.Intents(s.t.Context(), "lab", s.World.Now(), time.Unix(0, 0))
	must(s.t, err)
	n := map[bridge.IntentState]int{}
	for i := range all {
		n[all[i].State]++
	}
	return n
}

// TestTheLoopIsTheSameInMemory: what the tests of the loop show on a database in
// memory holds on Postgres. Calls fail, polls fail, daemons are killed, jobs come
// and go: the loop sends the same.
func TestTheLoopIsTheSameInMemory(t *testing.T) {
	for i, name := range []string{"tiresias", "fifo", "astraea", "drf"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && i%2 > 0 {
				t.Skip("short")
			}
			real, w := fresh(t), newWorld(t)
			a := newSite(t, newWorld(t), real, bridge.ModePreempt, name)
			b := newSite(t, w, memstore.New(w.Now, nil, 0), bridge.ModePreempt, name)
			a.play(uint64(i))
			b.play(uint64(i))
			if diff := cmp.Diff(a.sent, b.sent); diff != "" || len(a.sent) < 30 {
				t.Errorf("Postgres (-), memory (+) of %d edits:\n%s", len(a.sent), diff)
			}
			if diff := cmp.Diff(a.ledger(), b.ledger()); diff != "" {
				t.Errorf("intents by state, Postgres (-), memory (+):\n%s", diff)
			}
		})
	}
}

// play lets things happen by a seed.
func (s *site) play(seed uint64) {
	dice := rand.New(rand.NewPCG(seed, 7))
	s.answer = func(slurm.Edit) error {
		class, failed := map[int]slurm.ErrorClass{0: slurm.ErrorUnreachable, 1: slurm.ErrorOutcomeUnknown, 2: slurm.ErrorBusy, 3: slurm.ErrorForbidden}[dice.IntN(24)]
		if failed {
			return &slurm.Error{Class: class, Text: "it is not to be"}
		}
		return nil
	}
	for range 80 {
		if dice.IntN(2) == 0 {
			spec := sim.JobSpec{
				User: "u", Account: fmt.Sprint("a", dice.IntN(3)), GPUs: 1 << dice.IntN(4), Checkpoints: true,
				WorkTime: time.Duration(2+dice.IntN(90)) * time.Minute, TimeLimit: 3 * time.Hour,
			}
			if dice.IntN(2) == 0 {
				spec.Comment = "fairbridge:preemptible,ckpt=5s"
			}
			s.submit(spec)
		}
		if dice.IntN(20) == 0 {
			s.restart()
		}
		s.cycles(1)
	}
}

// TestQueueAndStoryTellWhatTheLoopDid by the rows of other tables.
func TestQueueAndStoryTellWhatTheLoopDid(t *testing.T) {
	d := fresh(t)
	s := newSite(t, newWorld(t), d, bridge.ModePreempt, "tiresias")
	s.full("fairbridge:preemptible,ckpt=10s,grace=2m")
	s.forward(2 * time.Hour)
	s.wait(1)
	for range 20 {
		if s.cycles(1); len(s.kind(slurm.EditWarn)) > 0 {
			break
		}
	}
	warned := s.kind(slurm.EditWarn)
	if len(warned) == 0 {
		t.Fatalf("no job was warned: sent %v", s.sent)
	}
	story, err := d.JobHistory(t.Context(), "lab", policy.JobID(warned[0].Run.Job))
	if err != nil || !strings.Contains(fmt.Sprintf("%+v", story), "warn") {
		t.Errorf("the story does not tell of the warning: %+v %v", story, err)
	}
	if q, err := d.Queue(t.Context(), "lab", ""); err != nil || len(q) != 3 {
		t.Errorf("the stored queue has %d rows, want 3: %v", len(q), err)
	}
}
