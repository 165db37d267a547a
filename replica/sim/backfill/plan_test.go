package backfill_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/replica/sim/backfill"
	"fairbridge/replica/sim/backfill/backfilltest"
	"fairbridge/replica/sim/inventory"
)

var start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

// cluster makes some nodes of one or two GPU types.
func cluster(t *rapid.T) *inventory.Inventory {
	nodes := inventory.UniformNodes(rapid.IntRange(1, 5).Draw(t, "nodes"), "a100", 8)
	if rapid.Bool().Draw(t, "two types") {
		nodes[len(nodes)-1].GPUs = []inventory.GPUs{{Type: "h100", Count: 4}, {Type: "a100", Count: 2}}
	}
	v, err := inventory.New(nodes, []inventory.PartitionConfig{{Name: "gpu"}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// ask draws what a task asks.
func ask(t *rapid.T) inventory.Request {
	a := inventory.Request{MinNodes: rapid.IntRange(1, 3).Draw(t, "on nodes"), CPUsPerNode: rapid.IntRange(1, 40).Draw(t, "CPUs"), Exclusive: rapid.IntRange(0, 5).Draw(t, "exclusive") == 0}
	if n := rapid.IntRange(0, 9).Draw(t, "GPUs"); rapid.IntRange(0, 3).Draw(t, "spread") == 0 {
		a.TotalGPUs = n
	} else {
		a.GPUsPerNode = n
	}
	a.GPUType = rapid.SampledFrom([]string{"", "", "a100", "h100"}).Draw(t, "type")
	return a
}

// running starts some jobs now.
func running(t *rapid.T, v *inventory.Inventory) iter.Seq2[inventory.Slots, time.Time] {
	var slots []inventory.Slots
	var until []time.Time
	for range rapid.IntRange(0, 6).Draw(t, "running") {
		if s := ask(t).FindSlots(v.Nodes, (*inventory.Node).FreeResources); s != nil {
			s.Allocate()
			slots, until = append(slots, s), append(until, start.Add(minutes(rapid.IntRange(1, 200).Draw(t, "until"))))
		}
	}
	return func(yield func(inventory.Slots, time.Time) bool) {
		for i := range slots {
			if !yield(slots[i], until[i]) {
				return
			}
		}
	}
}

// aDay is Slurm's default.
var aDay = backfill.Lookahead{Window: 24 * time.Hour, Resolution: time.Minute}

// TestPlansLikeTheReference plans tasks on a cluster where some jobs run and
// some nodes are set aside.
func TestPlansLikeTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := cluster(t)
		held := running(t, v)
		var closed []backfill.BlockedPeriod
		for range rapid.IntRange(0, 2).Draw(t, "set aside") {
			c := backfill.BlockedPeriod{Nodes: v.Nodes[:rapid.IntRange(1, len(v.Nodes)).Draw(t, "closed")], From: start.Add(minutes(rapid.IntRange(-60, 200).Draw(t, "from")))}
			if rapid.Bool().Draw(t, "ends") {
				c.To = start.Add(minutes(rapid.IntRange(1, 300).Draw(t, "to")))
			}
			closed = append(closed, c)
		}
		var fast backfill.Plan
		var slow backfilltest.ReferencePlan
		ahead := backfill.Lookahead{Window: minutes(rapid.IntRange(10, 1000).Draw(t, "window")),
			Resolution: minutes(rapid.SampledFrom([]int{1, 2, 10}).Draw(t, "resolution"))}
		fast.BeginPass(start, ahead, v.Nodes, held, closed)
		slow.BeginPass(start, ahead, v.Nodes, held, closed)
		for i := range rapid.IntRange(1, 12).Draw(t, "tasks") {
			task := backfill.Task{Request: ask(t), Partition: v.Partitions[0], TimeLimit: minutes(rapid.IntRange(1, 300).Draw(t, "limit"))}
			if rapid.IntRange(0, 4).Draw(t, "pinned") == 0 {
				task.RequiredNodes, task.NamedNodeCount = []string{"n1"}, 1
			}
			a, at := fast.ReservePlace(task)
			b, want := slow.ReservePlace(task)
			if !at.Equal(want) || !slices.Equal(a, b) {
				t.Fatalf("task %d, %+v: %s at %v, want %s at %v", i, task, candidateNodes(a), at.Sub(start), candidateNodes(b), want.Sub(start))
			}
		}
	})
}

func candidateNodes(s inventory.Slots) string {
	out := ""
	for _, x := range s {
		out += fmt.Sprintf("%s:%d×%d ", x.Node.Name, x.GPUs, x.TypeIndex)
	}
	return out
}

func TestLaterTasksPlanAroundEarlierOnes(t *testing.T) {
	v, err := inventory.New(inventory.UniformNodes(2, "a100", 8), []inventory.PartitionConfig{{Name: "gpu"}})
	if err != nil {
		t.Fatal(err)
	}
	busy := inventory.Request{MinNodes: 1, GPUsPerNode: 8}.FindSlots(v.Nodes, (*inventory.Node).FreeResources)
	busy.Allocate()
	var p backfill.Plan
	p.BeginPass(start, aDay, v.Nodes, func(yield func(inventory.Slots, time.Time) bool) { yield(busy, start.Add(time.Hour)) }, nil)
	for _, c := range []struct {
		nodes int
		limit time.Duration
		at    time.Duration
		on    string
	}{
		{2, time.Hour, time.Hour, "n1 n2"},      // both nodes, when the first is free
		{1, 2 * time.Hour, 2 * time.Hour, "n2"}, // too long to go before it
		{1, time.Hour, 2 * time.Hour, "n1"},     // so is what ends at its very start, for slurmctld
		{1, 59 * time.Minute, 0, "n2"},
	} {
		slots, at := p.ReservePlace(backfill.Task{Request: inventory.Request{MinNodes: c.nodes, GPUsPerNode: 8}, Partition: v.Partitions[0], TimeLimit: c.limit})
		if on := fmt.Sprint(slots.NodeNames()); at.Sub(start) != c.at || on != "["+c.on+"]" {
			t.Errorf("%d nodes for %v: %s at %v, want %s at %v", c.nodes, c.limit, on, at.Sub(start), c.on, c.at)
		}
	}
}

// Slurmctld lets the running jobs end in windows of time that get twice as long with each try, and
// takes the last end in the one that is enough; the place begins at the full minute before.
func TestStartsAreFoundInGrowingWindows(t *testing.T) {
	v, err := inventory.New(inventory.UniformNodes(4, "a100", 8), []inventory.PartitionConfig{{Name: "gpu"}})
	if err != nil {
		t.Fatal(err)
	}
	one := inventory.Request{MinNodes: 1, GPUsPerNode: 8}
	ends := []time.Duration{600 * time.Second, 650 * time.Second, 700 * time.Second, 1000 * time.Second}
	var held []inventory.Slots
	for range ends {
		s := one.FindSlots(v.Nodes, (*inventory.Node).FreeResources)
		s.Allocate()
		held = append(held, s)
	}
	var p backfill.Plan
	p.BeginPass(start, aDay, v.Nodes, func(yield func(inventory.Slots, time.Time) bool) {
		for i := range held {
			if !yield(held[i], start.Add(ends[i])) {
				return
			}
		}
	}, nil)
	for _, want := range []struct {
		at time.Duration
		on string
	}{
		{650 * time.Second, "[n1]"}, // both ends are in the first window, which lasts to 660 s
		{650 * time.Second, "[n2]"},
		{700 * time.Second, "[n3]"}, // alone in its first window
		{1000 * time.Second, "[n4]"},
	} {
		s, at := p.ReservePlace(backfill.Task{Request: one, Partition: v.Partitions[0], TimeLimit: time.Hour})
		if at.Sub(start) != want.at || fmt.Sprint(s.NodeNames()) != want.on {
			t.Errorf("%v on %v, want %v on %v", at.Sub(start), s.NodeNames(), want.at, want.on)
		}
	}
}

// What is to start later keeps whole nodes, as in slurmctld: nothing is planned beside it.
func TestWhatStartsLaterKeepsWholeNodes(t *testing.T) {
	v, err := inventory.New(inventory.UniformNodes(1, "a100", 8), []inventory.PartitionConfig{{Name: "gpu"}})
	if err != nil {
		t.Fatal(err)
	}
	busy := inventory.Request{MinNodes: 1, GPUsPerNode: 6}.FindSlots(v.Nodes, (*inventory.Node).FreeResources)
	busy.Allocate()
	var p backfill.Plan
	p.BeginPass(start, aDay, v.Nodes, func(yield func(inventory.Slots, time.Time) bool) { yield(busy, start.Add(time.Hour)) }, nil)
	for _, c := range []struct {
		gpus      int
		limit, at time.Duration
	}{
		{4, time.Hour, time.Hour},
		{1, 2 * time.Hour, 2 * time.Hour}, // two GPUs are free now, and four later
		{1, 59 * time.Minute, 0},
	} {
		_, at := p.ReservePlace(backfill.Task{Request: inventory.Request{MinNodes: 1, GPUsPerNode: c.gpus}, Partition: v.Partitions[0], TimeLimit: c.limit})
		if at.Sub(start) != c.at {
			t.Errorf("%d GPUs for %v at %v, want %v", c.gpus, c.limit, at.Sub(start), c.at)
		}
	}
}
