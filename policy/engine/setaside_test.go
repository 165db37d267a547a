package engine_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return noon.Add(d) }

// aside is a node of eight GPUs and 64 cores with windows.
func aside(name string, windows ...policy.Window) policy.Node {
	return policy.Node{Name: name, Partitions: []string{"p"}, CPUs: 64, MemMB: 512_000,
		GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}, Windows: windows}
}

func wants(id policy.JobID, gpus int, limit time.Duration) policy.Job {
	return policy.Job{ID: id, User: "ann", Account: "a", Partition: "p", State: policy.Pending, Arrive: at(time.Duration(id) * time.Second),
		Limit: limit, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: gpus}}}
}

func holds(id policy.JobID, gpus int, node string, ends time.Duration) policy.Job {
	j := wants(id, gpus, time.Hour+ends)
	j.State, j.Start, j.On = policy.Running, at(-time.Hour), policy.Alloc{{Node: node, Type: "a100", Count: gpus}}
	return j
}

func maintenance(from, to time.Duration) policy.Window {
	return policy.Window{From: at(from), To: at(to), Name: "m1", IsMaintenance: true}
}

func TestAside(t *testing.T) {
	endless := policy.Window{From: at(time.Hour), Name: "r1"}
	daily := []policy.Window{maintenance(time.Hour, 2*time.Hour), maintenance(25*time.Hour, 26*time.Hour)}
	part := policy.Window{From: at(0), Name: "r2", CPUs: 8, GPUs: 2}
	for _, c := range []struct {
		name    string
		windows []policy.Window
		from    time.Duration
		limit   time.Duration
		off     bool
		gpus    int
	}{
		{"ends before", daily, 0, 59 * time.Minute, false, 0},
		{"ends as it begins", daily, 0, time.Hour, false, 0},
		{"reaches into it", daily, 0, time.Hour + time.Second, true, 0},
		{"no limit", daily, 0, 0, true, 0},
		{"no window", nil, 0, 0, false, 0},
		{"during it", daily, 90 * time.Minute, time.Minute, true, 0},
		{"after it", daily, 2 * time.Hour, 23 * time.Hour, false, 0},
		{"into the next time", daily, 2 * time.Hour, 24 * time.Hour, true, 0},
		{"without end", []policy.Window{endless}, 100 * time.Hour, time.Minute, true, 0},
		{"a part of the node", []policy.Window{part}, 0, time.Hour, false, 2},
		{"two parts", []policy.Window{part, {From: at(0), Name: "r3", GPUs: 1}}, 0, time.Hour, false, 3},
	} {
		n := aside("n1", c.windows...)
		w, _, gpus := n.WindowDuring(at(c.from), c.limit)
		if (w != nil) != c.off || gpus != c.gpus {
			t.Errorf("%s: %v, %d GPUs; want off %v, %d GPUs", c.name, w, gpus, c.off, c.gpus)
		}
	}
}

// Of a reservation that recurs Slurm looks at the next time only.
func TestOnlyTheNextTimeCounts(t *testing.T) {
	n := aside("n1", maintenance(time.Hour, 2*time.Hour), maintenance(25*time.Hour, 26*time.Hour))
	n.Windows[0].CPUs, n.Windows[1].CPUs = 4, 8
	if w, cpus, _ := n.WindowDuring(at(0), 100*time.Hour); w != nil || cpus != 4 {
		t.Errorf("%v, %d cores set aside", w, cpus)
	}
}

func TestReasonsNameTheWindow(t *testing.T) {
	s := &policy.Snapshot{Seq: 1, Now: noon, Nodes: []policy.Node{aside("n1", maintenance(9*time.Minute, 3*time.Hour)), aside("n2", maintenance(20*time.Minute, 3*time.Hour))}}
	s.Jobs = []policy.Job{wants(1, 8, 21*time.Minute), wants(2, 8, 15*time.Minute), wants(3, 16, 15*time.Minute), wants(4, 8, 22*time.Minute)}
	plan, err := engine.Pipeline{Backfill: backfill.EASY{}}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Error(err)
	}
	for i, want := range []string{
		"its limit of 21m reaches into the maintenance m1 of n2 at 2026-03-01 12:20 UTC; with a limit under 20m it could run before that",
		"starts on n2:8×a100",
		"its limit of 15m reaches into the maintenance m1 of n1 at 2026-03-01 12:09 UTC; with a limit under 9m it could run before that",
		"its limit of 22m reaches into",
	} {
		if !strings.Contains(plan.Decisions[i].Why, want) {
			t.Errorf("job %d: %q, want %q", i+1, plan.Decisions[i].Why, want)
		}
	}
}

// TestReasonsNameTheWindowThatCounts: a window that never ends is none to run before.
func TestReasonsNameTheWindowThatCounts(t *testing.T) {
	endless := policy.Window{From: at(-time.Minute), Name: "forever", IsMaintenance: true}
	for want, windows := range map[string][2]policy.Window{
		"into reservation daily of n1 at 2026-03-01 17:00 UTC; with a limit under 5h it could run before that; no job": {
			{From: at(5 * time.Hour), To: at(7 * time.Hour), Name: "daily"}, endless,
		},
		"reaches into the maintenance forever of n1 and 1 more since 2026-03-01 11:59 UTC; no job": {endless, endless},
	} {
		s := &policy.Snapshot{Seq: 1, Now: noon, Nodes: []policy.Node{aside("n1", windows[0]), aside("n2", windows[1])}}
		s.Jobs = []policy.Job{wants(1, 8, 10*time.Hour)}
		plan, err := engine.Pipeline{}.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if why := plan.Decisions[0].Why; !strings.Contains(why, want) {
			t.Errorf("%q, want %q", why, want)
		}
	}
}

// A job that waits for the end of a maintenance keeps no job from running before
// it, whatever the order.
func TestWhoWaitsForAMaintenanceIsPassed(t *testing.T) {
	for name, p := range map[string]engine.Pipeline{"strict": {}, "easy": {Backfill: backfill.EASY{}}, "greedy": {Backfill: backfill.Greedy{}}, "conservative": {Backfill: &backfill.Conservative{}}} {
		s := &policy.Snapshot{Seq: 1, Now: noon, Nodes: []policy.Node{aside("n1", maintenance(9*time.Minute, 3*time.Hour))}}
		s.Jobs = []policy.Job{wants(1, 8, 20*time.Minute), wants(2, 8, 8*time.Minute), wants(3, 1, 8*time.Minute)}
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Error(err)
		}
		for i, want := range []policy.Verb{policy.Wait, policy.Start, policy.Wait} {
			if d := plan.Decisions[i]; d.Verb != want {
				t.Errorf("%s: job %d: %s (%s), want %s", name, d.Job, d.Verb, d.Why, want)
			}
		}
	}
}

// A job blocked by the cores of jobs without GPUs can start once those end, has
// its turn then, and may be passed until then only by what ends before.
func TestBlockedByCores(t *testing.T) {
	n := aside("n1")
	n.CPUs, n.OtherUses = 9, []policy.OtherUse{{CPUs: 55, Until: at(10 * time.Minute)}}
	wide, long, quick := wants(1, 8, time.Hour), wants(2, 1, time.Hour), wants(3, 1, 9*time.Minute)
	wide.Ask.CPUs, long.Ask.CPUs, quick.Ask.CPUs = 32, 2, 2
	for name, p := range map[string]engine.Pipeline{"easy": {Backfill: backfill.EASY{}}, "conservative": {Backfill: &backfill.Conservative{}}} {
		s := &policy.Snapshot{Seq: 1, Now: noon, Nodes: []policy.Node{n}, Jobs: []policy.Job{wide, long, quick}}
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []policy.Verb{policy.Wait, policy.Hold, policy.Start} {
			if d := plan.Decisions[i]; d.Verb != want || strings.Contains(d.Why, "never") {
				t.Errorf("%s: job %d: %s (%s), want %s", name, d.Job, d.Verb, d.Why, want)
			}
		}
	}
}

// TestReserveFindsTheFirstMoment compares with a search over all moments.
func TestReserveFindsTheFirstMoment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &policy.Snapshot{Seq: 1, Now: noon}
		for _, name := range []string{"n1", "n2"} {
			n := aside(name)
			if rapid.Bool().Draw(t, "set aside") {
				from := rapid.IntRange(0, 6).Draw(t, "from")
				n.Windows = []policy.Window{maintenance(time.Duration(from)*time.Hour, time.Duration(from+rapid.IntRange(1, 6).Draw(t, "for"))*time.Hour)}
			}
			if len(n.Windows) > 0 && n.Windows[0].From.Equal(noon) && rapid.Bool().Draw(t, "down") {
				n.DownReason, n.Windows[0].IsUnderWay = "MAINTENANCE", true
			}
			if h := rapid.IntRange(0, 5).Draw(t, "others"); h > 0 {
				n.CPUs, n.OtherUses = 8, []policy.OtherUse{{CPUs: 56, Until: at(time.Duration(h) * time.Hour)}}
			}
			s.Nodes = append(s.Nodes, n)
			s.Jobs = append(s.Jobs, holds(policy.JobID(len(s.Jobs)+1), rapid.IntRange(1, 8).Draw(t, "held"), name, time.Duration(rapid.IntRange(1, 8).Draw(t, "left"))*time.Hour))
		}
		j := wants(9, rapid.IntRange(1, 16).Draw(t, "gpus"), time.Duration(rapid.IntRange(1, 4).Draw(t, "limit"))*time.Hour)
		j.Ask.CPUs = j.Ask.GPUs.Count * rapid.IntRange(0, 4).Draw(t, "cpus")
		s.Jobs = append(s.Jobs, j)
		r := &engine.Round{Snapshot: s, FreePool: pool.New(s)}
		for i := range s.Jobs {
			r.Entries = append(r.Entries, &engine.Entry{Job: &s.Jobs[i], WantedDeviceCount: s.Jobs[i].Ask.GPUs.Count, PlannedAlloc: s.Jobs[i].On})
		}
		if _, err := pool.Fit(r.FreePool, "p", j.AskWithLimit()); err == nil {
			return // not blocked
		}
		v, want := engine.Reserve(r, r.Entries[2], engine.RunLengthByLimit), first(s, j)
		if v.Alloc == nil || v.StartsIn != want {
			t.Fatalf("reserved %v in %v, the first moment is in %v", v.Alloc, v.StartsIn, want)
		}
	})
}

// first tries hour after hour.
func first(s *policy.Snapshot, j policy.Job) time.Duration {
	for h := time.Duration(0); ; h += time.Hour {
		then := policy.Snapshot{Now: s.Now.Add(h)}
		for _, n := range s.Nodes {
			for _, o := range n.OtherUses {
				if !o.Until.After(then.Now) {
					n.CPUs += o.CPUs
				}
			}
			n.OtherUses = nil
			then.Nodes = append(then.Nodes, n)
		}
		for i := range s.Jobs {
			if end, ok := s.Jobs[i].LatestEnd(); ok && end.After(then.Now) {
				then.Jobs = append(then.Jobs, s.Jobs[i])
			}
		}
		if _, err := pool.Fit(pool.New(&then), "p", j.AskWithLimit()); err == nil {
			return h
		}
		if h > 1000*time.Hour {
			panic("never")
		}
	}
}
