package sim

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim/inventory"
)

// busy plays a random day with every kind of call and returns its world.
func busy(seed int64, log io.Writer, check func(*World)) *World {
	c := Config{Seed: seed, Nodes: UniformNodes(4, "a100", 8), Log: log, Accounts: []Account{{Name: "a", Shares: 2}, {Name: "b", Shares: 1}}}
	c.Nodes[3].GPUs = []GPUs{{Type: "h100", Count: 4}, {Type: "a100", Count: 2}}
	w, err := New(c)
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	for range 150 {
		play(w, r)
		for end := w.Now().Add(time.Duration(r.IntN(1200)) * time.Second); w.Step(end); {
			if check != nil {
				check(w)
			}
		}
	}
	return w
}

// play makes one random call.
func play(w *World, r *rand.Rand) {
	id := 1 + r.Int64N(max(w.ids.next-1, 1))
	by := []string{"slurm", "ann", "bob"}[r.IntN(3)]
	switch r.IntN(10) {
	case 0, 1, 2:
		s := JobSpec{
			User: []string{"ann", "bob"}[r.IntN(2)], Account: []string{"a", "b"}[r.IntN(2)],
			WorkTime: time.Duration(1+r.IntN(200)) * time.Minute, TimeLimit: time.Duration(1+r.IntN(300)) * time.Minute,
			GPUsPerNode: r.IntN(9), MinNodes: 1 + r.IntN(3), Checkpoints: r.IntN(2) == 0, ArraySize: r.IntN(4) * r.IntN(3),
			ArrayMaxRunning: r.IntN(3), NoRequeue: r.IntN(8) == 0, Hold: r.IntN(9) == 0,
		}
		if r.IntN(4) == 0 {
			s.GPUs, s.GPUsPerNode = 1+r.IntN(20), 0
		}
		_, _ = w.Submit(s)
	case 3:
		_ = w.Requeue(by, fmt.Sprint(id), r.IntN(2) == 0)
	case 4:
		_ = w.Update(by, id, JobUpdate{BeginTime: Ptr(w.Now().Add(time.Duration(r.IntN(3600)-600) * time.Second))})
	case 5:
		_ = w.Update(by, id, JobUpdate{Hold: Ptr(r.IntN(2) == 0)})
	case 6:
		_ = w.Update(by, id, JobUpdate{Priority: Ptr(int64(r.IntN(100_000)))})
	case 7:
		_ = w.Update(by, id, JobUpdate{SiteFactor: Ptr(int64(r.IntN(10_000))), ExcludedNodes: &[]string{"n1"}})
	case 8:
		_ = w.Cancel(by, fmt.Sprint(id))
	case 9:
		if r.IntN(3) == 0 {
			_ = w.DownNode("n2", "x")
		} else {
			_ = w.ResumeNode("n2")
		}
	}
}

func TestSameSeedSameLog(t *testing.T) {
	var a, b, c bytes.Buffer
	busy(3, &a, nil)
	busy(3, &b, nil)
	busy(4, &c, nil)
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two worlds of one seed differ")
	}
	if bytes.Equal(a.Bytes(), c.Bytes()) || a.Len() < 5_000 {
		t.Errorf("logs of %d and %d bytes: not much happens", a.Len(), c.Len())
	}
}

// invariant checks what must hold at every moment.
func invariant(w *World) error {
	used := map[*inventory.Node][inventory.MaxGPUTypes]uint64{}
	cpus := map[*inventory.Node]int{}
	open := 0
	for _, j := range w.sortedJobs {
		if !j.isDone() || j.isCompleting {
			open++
		}
		if j.state == stateRunning && len(j.slots) == 0 || j.state == statePending && !j.isCompleting && len(j.slots) > 0 {
			return fmt.Errorf("job %d is %s with %d slots", j.id, j.state, len(j.slots))
		}
		if j.state == stateRunning && j.spec.TimeLimit > 0 && w.Now().Sub(j.exactStart) > j.spec.TimeLimit {
			return fmt.Errorf("job %d runs past its limit", j.id)
		}
		if j.isDone() && !j.isCompleting {
			continue
		}
		for _, s := range j.slots {
			u := used[s.Node]
			if s.TypeIndex >= 0 {
				if u[s.TypeIndex]&s.DeviceMask != 0 || bits.OnesCount64(s.DeviceMask) != s.GPUs {
					return fmt.Errorf("job %d shares devices %b on %s", j.id, s.DeviceMask, s.Node.Name)
				}
				u[s.TypeIndex] |= s.DeviceMask
			}
			used[s.Node] = u
			cpus[s.Node] += s.CPUs
		}
	}
	if open != w.openCount {
		return fmt.Errorf("%d records open, counted %d", open, w.openCount)
	}
	for _, n := range w.inventory.Nodes {
		if n.Usage.DeviceMasks != used[n] || n.Usage.CPUs != cpus[n] || n.Usage.CPUs > n.CPUs || n.Usage.MemMB > n.MemMB {
			return fmt.Errorf("node %s: books say %v, %d CPUs; jobs hold %v, %d", n.Name, n.Usage.DeviceMasks, n.Usage.CPUs, used[n], cpus[n])
		}
	}
	return nil
}

func TestBooksBalanceWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		busy(rapid.Int64Range(0, 1<<40).Draw(t, "seed"), nil, func(w *World) {
			if err := invariant(w); err != nil {
				t.Fatal(w.Now(), err)
			}
		})
	})
}

// TestNothingStartsAgainstARule watches every start.
func TestNothingStartsAgainstARule(t *testing.T) {
	before := map[int64]slurm.Job{}
	started := 0
	busy(11, nil, func(w *World) {
		for _, j := range w.Jobs() {
			old, known := before[j.ID]
			if j.State == "RUNNING" && known && old.State == "PENDING" {
				started++
				if old.IsHeld || old.EligibleTime.After(w.Now()) || old.Dependency.Text != "" {
					t.Errorf("job %d started held %t, eligible %v at %v", j.ID, old.IsHeld, old.EligibleTime, w.Now())
				}
			}
			before[j.ID] = j
		}
	})
	if started < 20 {
		t.Errorf("only %d starts were seen", started)
	}
}

func TestDirectAppliesEveryEdit(t *testing.T) {
	w := world(t)
	ctx, d := context.Background(), DirectCluster{World: w}
	runs, waits := submit(t, w, JobSpec{}), submit(t, w, JobSpec{BeginTime: w.Now().Add(time.Hour), Nice: 5})
	advance(w, 5*time.Second)
	v, err := d.Observe(ctx)
	if err != nil || len(v.Jobs) != 2 || len(v.Nodes) != 2 || !v.At.Equal(w.Now()) {
		t.Fatalf("%+v %v", v, err)
	}
	run := v.Job(waits).CurrentRun()
	until := w.Now().Add(2 * time.Hour).Truncate(time.Second)
	for _, e := range []slurm.Edit{
		{Run: run, Kind: slurm.EditSiteFactor, Value: 500}, {Run: run, Kind: slurm.EditNice, Value: 20},
		{Run: run, Kind: slurm.EditLease, Until: until}, {Run: run, Kind: slurm.EditRequireNodes, Nodes: []string{"n2"}},
		{Run: run, Kind: slurm.EditExcludeNodes, Nodes: []string{"n1"}}, {Run: run, Kind: slurm.EditSetGPUs, Value: 4},
		{Run: v.Job(runs).CurrentRun(), Kind: slurm.EditRequeue},
	} {
		if err := d.ApplyEdit(ctx, e); err != nil {
			t.Errorf("%v: %v", e, err)
		}
	}
	j, err := d.RereadJob(ctx, waits)
	if err != nil || j.Priority != 10_480 || j.Nice != 20 || !j.EligibleTime.Equal(until) || j.RequiredNodes.Text != "n2" || j.ExcludedNodes.Text != "n1" || j.GresPerNode.Text != "gres/gpu:4" {
		t.Errorf("%+v %v", j, err)
	}
	advance(w, time.Second)
	if j, _ := d.RereadJob(ctx, runs); j.Restarts != 1 {
		t.Error("not requeued")
	}
	if err := d.ApplyEdit(ctx, slurm.Edit{Run: v.Job(runs).CurrentRun(), Kind: slurm.EditNice, Value: 1}); number(err) != ErrnoNoSuchJob {
		t.Errorf("an edit meant for the earlier run: %v", err)
	}
}
