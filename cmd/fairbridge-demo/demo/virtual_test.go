package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/push"
	"fairbridge/cmd/fairbridge-demo/workday"
	"fairbridge/policy"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
	"fairbridge/scripts/verify/part"
)

// playDayNow plays the first seed's day as if it were played at a time, and returns what every
// cycle saw of Slurm's estimates and what it changed, as of its own time.
func playDayNow(t *testing.T, now time.Time) []string {
	t.Helper()
	s, err := startSimulatedCluster(t.TempDir(), 1, virtualDayBegin(now))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := withLoop(t, s, virtualPace, "fairbridge")
	var seen []string
	l.loop.OnCycleEnd = func(r *cycle.Report) {
		for i := range r.PartitionResults {
			p := &r.PartitionResults[i]
			line := ""
			for k := range p.Snapshot.Jobs {
				if j := &p.Snapshot.Jobs[k]; !j.SlurmStartEstimate.IsZero() {
					line += fmt.Sprintf("job %d in %v; ", j.ID, j.SlurmStartEstimate.Sub(p.Snapshot.Now))
				}
			}
			for _, e := range p.Edits {
				line += fmt.Sprintf("%s of job %d: %d; ", e.Kind, e.Run.Job, e.Value)
			}
			seen = append(seen, line)
		}
	}
	d := &demonstration{pace: virtualPace, dayJobs: workday.NewDay(1, virtualPace.speed), screen: newScreen(t.Output())}
	var f *workday.Figures
	if _, err := d.playOne(t.Context(), l, &f, nil); err != nil {
		t.Fatal(err)
	}
	return append(seen, fmt.Sprint(*f))
}

func TestTheVirtualDayIsTheSameWheneverItIsPlayed(t *testing.T) {
	part.Long(t, testing.Short())
	a, b := playDayNow(t, time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)), playDayNow(t, time.Date(2027, 8, 14, 23, 41, 29, 512, time.UTC))
	if !slices.Equal(a, b) {
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("from cycle %d on it is another day:\n%s\n%s", i, a[i], b[i])
			}
		}
		t.Fatalf("%d cycles, and %d", len(a), len(b))
	}
}

func TestAVirtualDayIsOverByNow(t *testing.T) {
	for _, now := range []time.Time{time.Unix(1_800_000_000, 0), time.Unix(1_800_000_000, 0).Add(time.Hour - 1)} {
		if age := now.Sub(virtualDayBegin(now)); age < minVirtualDayAge || age >= minVirtualDayAge+time.Hour {
			t.Errorf("played at %v it began %v ago", now, age)
		}
	}
}

// hastyStore fails the test when a statement would be given up after some time of the clock on
// the wall: on a busy machine another day would come of it.
type hastyStore struct {
	*memstore.Store
	t *testing.T
}

func (h hastyStore) check(ctx context.Context, call string) {
	if at, ok := ctx.Deadline(); ok {
		h.t.Errorf("%s has until %v", call, at)
	}
}

func (h hastyStore) UpdateIntent(ctx context.Context, in bridge.Intent) error {
	h.check(ctx, "UpdateIntent")
	return h.Store.UpdateIntent(ctx, in)
}

func (h hastyStore) StoreIntents(ctx context.Context, c *bridge.Cycle, list []bridge.Intent) ([]bridge.Intent, error) {
	h.check(ctx, "StoreIntents")
	return h.Store.StoreIntents(ctx, c, list)
}

func (h hastyStore) Lead(ctx context.Context, cluster, me string, ttl time.Duration) (int64, string, bool, error) {
	h.check(ctx, "Lead")
	if ttl < 24*time.Hour {
		h.t.Errorf("leadership runs out after %v of the database's clock", ttl)
	}
	return h.Store.Lead(ctx, cluster, me, ttl)
}

// slowPolicy answers once, later than a daemon would wait for it.
type slowPolicy struct {
	policy.Policy
	wait *sync.Once
}

func (p slowPolicy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p.wait.Do(func() { time.Sleep(slowInterval / 2) })
	return p.Policy.Decide(s)
}

// slowInterval is the shortest interval that the loop takes: a daemon waits a quarter of it for a plan.
const slowInterval = time.Second

func TestVirtualTimeWaitsForDatabaseAndPolicy(t *testing.T) {
	s, err := startSimulatedCluster(t.TempDir(), 1, virtualDayBegin(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	config := parseDayConfig(t, "fairbridge", virtualPace)
	config.Interval, config.Partitions[0].DecidingPolicy = slowInterval, slowPolicy{config.Partitions[0].DecidingPolicy, &sync.Once{}}
	var world *sim.World
	s.server.WithWorld(func(w *sim.World) { world = w })
	store := hastyStore{memstore.New(world.Now, nil, 0), t}
	l, err := startLoop(s, config, cycle.Parts{Journal: store, Leadership: store, History: store})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range workday.NewDay(1, virtualPace.speed)[:40] {
		if err := l.Submit(t.Context(), &j); err != nil {
			t.Fatal(err)
		}
	}
	edits := 0
	l.loop.OnCycleEnd = func(r *cycle.Report) { edits += len(r.Intents) }
	if err := l.Wait(t.Context(), 20*slowInterval); err != nil || edits == 0 {
		t.Errorf("%v, %d edits", err, edits)
	}
}

func TestOnlyOurOwnHaltsEndTheVirtualDay(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{fmt.Errorf("%w: recording it: %w", push.ErrPushHalted, context.DeadlineExceeded), true},
		{fmt.Errorf("%w: %w: 3 in a row", push.ErrPushHalted, push.ErrCallsFailing), false},
		{fmt.Errorf("%w: %w", push.ErrPushHalted, push.ErrJobsRewritten), false},
	} {
		if got := isPushCutShort(bridge.Doubt{Cause: bridge.CausePushEndedEarly, Err: c.err}); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
	if isPushCutShort(bridge.Doubt{Cause: bridge.CauseNoEffect, Err: errors.New("no effect")}) {
		t.Error("a doubt about Slurm ends the day")
	}
}
