package slurmtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm/rest"
	"fairbridge/gear/bridgetest"
	"fairbridge/replica/sim"
)

// singleReads returns the jobs that were read one by one since the last time, and whether the
// whole list was.
func singleReads(s *Server) (ids []string, whole bool) {
	for _, c := range s.Calls() {
		if _, id, ok := strings.Cut(c.Path, "/job/"); ok {
			ids = append(ids, id)
		}
		whole = whole || strings.HasSuffix(c.Path, "/jobs")
	}
	s.ForgetCalls()
	return ids, whole
}

// TestTasksAreReadWhenTheyMove: running tasks of an array, which the states list under ids of their
// own, cost a poll nothing while nothing moves, and one read each when something does: that one is
// cancelled, and that it has ended.
func TestTasksAreReadWhenTheyMove(t *testing.T) {
	l := newControl(t, "fifo")
	l.WithWorld(func(w *sim.World) {
		for range 30 { // so that single reads are few
			submitTo(t, w, sim.JobSpec{GPUs: 1, Hold: true})
		}
		submitTo(t, w, sim.JobSpec{GPUs: 1, ArraySize: 10})
	})
	advance(l.Server, time.Minute)
	for poll, want := range []string{"whole", "", "", "36", "36", ""} {
		if poll == 3 {
			l.WithWorld(func(w *sim.World) {
				if err := w.Cancel("alice", "31_4"); err != nil {
					t.Error(err)
				}
			})
		}
		v, err := l.live.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ids, whole := singleReads(l.Server)
		if whole {
			ids = []string{"whole"}
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("poll %d of %d jobs read %q, want %q", poll, len(v.Jobs), got, want)
		}
		advance(l.Server, 2*time.Second)
	}
}

// TestArraysAreSeenByLittleReading: whatever moves in a queue of arrays, a client that reads little
// shows what one that reads everything shows.
func TestArraysAreSeenByLittleReading(t *testing.T) {
	for seed := range uint64(8) {
		l := newControl(t, "fifo")
		all := l.live.Client
		l.poll = rest.PollConfig{FullEvery: time.Hour, Few: 1000, FewPercent: 100, FullPause: time.Hour}
		l.dial()
		rng := rand.New(rand.NewPCG(seed, 7))
		little := 0
		for poll := range 25 {
			pause := time.Duration(rng.IntN(300)) * time.Second
			l.WithWorld(func(w *sim.World) {
				if shakeArrays(t, w, rng) {
					pause = 5 * time.Second // a run that follows another between two polls is not seen by little reading
				}
			})
			advance(l.Server, pause)
			got, err := l.live.Client.Observe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all.RequestFullRead()
			want, err := all.Observe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !got.IsFullRead {
				little++
			}
			if diff := cmp.Diff(bridgetest.WithoutForecasts(want.Jobs), bridgetest.WithoutForecasts(got.Jobs)); diff != "" {
				t.Fatalf("seed %d, poll %d (whole %t): %s", seed, poll, got.IsFullRead, diff)
			}
		}
		if little < 5 {
			t.Errorf("seed %d: only %d polls read little", seed, little)
		}
	}
}

func submitTo(t *testing.T, w *sim.World, s sim.JobSpec) {
	t.Helper()
	s.User, s.Account, s.TimeLimit = "alice", "a", time.Hour
	if s.WorkTime == 0 {
		s.WorkTime = 50 * time.Minute
	}
	if _, err := w.Submit(s); err != nil {
		t.Fatal(err)
	}
}

// shakeArrays submits arrays and jobs, cancels some, requeues some, and reports whether it did that.
func shakeArrays(t *testing.T, w *sim.World, rng *rand.Rand) (requeued bool) {
	t.Helper()
	if rng.IntN(3) == 0 {
		submitTo(t, w, sim.JobSpec{GPUs: 1 + rng.IntN(2), ArraySize: rng.IntN(3) * 4, ArrayMaxRunning: rng.IntN(4), WorkTime: time.Duration(1+rng.IntN(600)) * time.Second})
	}
	for _, j := range w.Jobs() {
		address := j.TaskAddress()
		if address == "" {
			address = fmt.Sprint(j.ID)
		}
		switch rng.IntN(30) {
		case 0:
			_ = w.Cancel("alice", address)
		case 1:
			requeued = w.Requeue("", address, true) == nil || requeued
		}
	}
	return requeued
}
