package policytest

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// SnapshotTime is the time of every generated snapshot and of every text case.
var SnapshotTime = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// GenerateSnapshots generates lawful snapshots: nodes of several types, down or with
// sick devices, jobs in every state and with every kind of ask, accounts in a
// tree. What running jobs hold was free and allowed when they started.
func GenerateSnapshots() *rapid.Generator[*policy.Snapshot] {
	return rapid.Custom(func(t *rapid.T) *policy.Snapshot {
		s := &policy.Snapshot{Cluster: "test", Seq: rapid.Uint64Range(1, 1<<40).Draw(t, "seq"), Now: SnapshotTime}
		for i := range rapid.IntRange(0, 6).Draw(t, "nodes") {
			s.Nodes = append(s.Nodes, drawNode(t, i))
		}
		g := &jobGenerator{T: t, Snapshot: s, pool: pool.New(s), hasShortWaits: rapid.Bool().Draw(t, "calm"), hasUniformJobs: rapid.Bool().Draw(t, "plain")}
		for i := range rapid.IntRange(0, 24).Draw(t, "jobs") {
			s.Jobs = append(s.Jobs, g.drawJob(policy.JobID(i+1)))
		}
		drawAccounts(t, s)
		s.PredictionTrust = drawOneOf(t, "trust", 0, .1, .5, 1)
		for i := range s.Nodes {
			breakNode(t, &s.Nodes[i])
		}
		for range rapid.IntRange(0, 12).Draw(t, "history") {
			s.History = append(s.History, drawFinishedJob(t))
		}
		return s
	})
}

// Types of devices in generated snapshots; the last is a slice of a GPU.
const (
	a100Type  = "a100"
	h100Type  = "h100"
	sliceType = "1g.5gb"
)

func drawNode(t *rapid.T, i int) policy.Node {
	n := policy.Node{
		Name:       fmt.Sprintf("n%d", i+1),
		LeafSwitch: drawOneOf(t, "leaf", "", "leaf1", "leaf2"),
		Partitions: drawOneOf(t, "partitions", []string{"batch"}, []string{"batch", "long"}, []string{"long"}),
		Features:   drawOneOf(t, "features", nil, []string{"nvlink"}, []string{"ib", "nvlink"}),
		CPUs:       drawOneOf(t, "cores", 32, 64, 128),
		MemMB:      drawOneOf(t, "memory", int64(256_000), int64(1_000_000)),
	}
	for _, typ := range drawOneOf(t, "types", []string{a100Type}, []string{h100Type}, []string{sliceType, a100Type}, []string{a100Type, h100Type}) {
		d := policy.NodeDevices{Type: typ, Count: drawOneOf(t, "count", 1, 2, 4, 8)}
		if typ == sliceType {
			d.PartPercent = 14
		}
		n.GPUs = append(n.GPUs, d)
	}
	return n
}

// breakNode makes nodes break under their jobs, and sets some aside.
func breakNode(t *rapid.T, n *policy.Node) {
	if drawChance(t, "set aside", 4) {
		n.Windows = drawWindows(t)
		if w := &n.Windows[0]; w.From.Before(SnapshotTime) && w.CPUs == 0 && w.GPUs == 0 {
			n.DownReason, w.IsUnderWay = "MAINTENANCE", true
		}
	}
	if drawChance(t, "others", 6) {
		n.OtherUses = []policy.OtherUse{{CPUs: 8, MemMB: 10_000, Until: SnapshotTime.Add(drawOneOf(t, "until", time.Hour, 20*time.Hour))}}
		n.CPUs, n.MemMB = n.CPUs-8, n.MemMB-10_000
	}
	if drawChance(t, "down", 8) {
		n.DownReason = "drained for repair"
		for i := range n.Windows {
			n.Windows[i].IsUnderWay = false
		}
	}
	for i := range n.GPUs {
		if drawChance(t, "sick", 8) {
			n.GPUs[i].SickCount = rapid.IntRange(0, n.GPUs[i].Count).Draw(t, "how many")
		}
	}
}

// drawWindows draws a maintenance or reservation that is under way or to come, of
// the whole node or a part, at times recurring.
func drawWindows(t *rapid.T) []policy.Window {
	w := policy.Window{Name: drawOneOf(t, "window", "maint", "class"), IsMaintenance: rapid.Bool().Draw(t, "work")}
	w.From = SnapshotTime.Add(drawOneOf(t, "from", -time.Hour, 9*time.Minute, 2*time.Hour, 30*time.Hour))
	if !drawChance(t, "endless", 4) {
		w.To = w.From.Add(drawOneOf(t, "length", 90*time.Minute, 12*time.Hour))
	}
	if drawChance(t, "part", 4) {
		w.CPUs, w.GPUs = drawOneOf(t, "cpus set aside", 0, 8), 1
	}
	all := []policy.Window{w}
	if !w.To.IsZero() && drawChance(t, "recurs", 3) {
		w.From, w.To = w.From.Add(24*time.Hour), w.To.Add(24*time.Hour)
		all = append(all, w)
	}
	return all
}

func drawAccounts(t *rapid.T, s *policy.Snapshot) {
	for _, a := range []policy.Account{{Name: "nlp", Parent: "root"}, {Name: "ops"}, {Name: "root"}, {Name: "vision", Parent: "root"}} {
		if drawChance(t, "unknown account", 10) {
			continue
		}
		a.Weight = drawOneOf(t, "weight", 0.0, 1, 2, 10)
		a.RecentService = policy.GPUSeconds(drawOneOf(t, "recent", 0.0, 3600, 40_000, 900_000))
		a.UsedService = a.RecentService * 2
		s.Accounts = append(s.Accounts, a)
	}
	for _, u := range []string{"ann", "bob"} {
		s.Users = append(s.Users, policy.User{Name: u, Account: "nlp", TypicalLimitUse: drawOneOf(t, "limit use", policy.OptionalValue{}, policy.KnownValue(0.4))})
	}
}

func drawFinishedJob(t *rapid.T) policy.FinishedJob {
	h := policy.FinishedJob{GPUs: drawOneOf(t, "gpus", 1, 2, 4, 8), Ran: time.Duration(rapid.IntRange(0, 100_000).Draw(t, "ran")) * time.Second}
	h.Service = policy.ServiceForTime(float64(h.GPUs), h.Ran)
	return h
}

func drawOneOf[T any](t *rapid.T, label string, from ...T) T {
	return from[rapid.IntRange(0, len(from)-1).Draw(t, label)]
}

// drawChance is true once in n.
func drawChance(t *rapid.T, label string, n int) bool {
	return rapid.IntRange(0, n-1).Draw(t, label) == n-1
}

// drawSubset returns some of the names, in order.
func drawSubset(t *rapid.T, label string, names []string) []string {
	var some []string
	for _, n := range names {
		if drawChance(t, label, 3) {
			some = append(some, n)
		}
	}
	slices.Sort(some)
	return some
}

// oddSnapshots are snapshots on which policies like to stumble.
func oddSnapshots() map[string]*policy.Snapshot {
	node := policy.Node{Name: "n1", Partitions: []string{"batch"}, CPUs: 8, MemMB: 8000,
		GPUs: []policy.NodeDevices{{Type: a100Type, Count: 4}}}
	down := node
	down.DownReason = "not responding"
	job := func(id policy.JobID, gpus int) policy.Job {
		return policy.Job{ID: id, User: "ann", Account: "nlp", Partition: "batch", State: policy.Pending,
			Arrive: SnapshotTime.Add(-time.Hour), Submit: SnapshotTime.Add(-time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Count: gpus}}}
	}
	future := job(1, 1)
	future.Arrive, future.Submit = SnapshotTime.Add(time.Hour), SnapshotTime.Add(time.Hour)
	strange := job(1, 2)
	strange.MinGPUs, strange.MaxGPUs, strange.PredictedLeft, strange.Attained = 3, 1, -time.Hour, -5
	gone := job(1, 2)
	gone.State, gone.Start, gone.FirstStart = policy.Running, SnapshotTime.Add(-time.Hour), SnapshotTime.Add(-time.Hour)
	gone.On = policy.Alloc{{Node: "vanished", Type: a100Type, Count: 2}}
	lost := gone
	lost.On, lost.UnstoppableReason, lost.Shareable, lost.Ask.GPUs.Type = nil, "its nodes are not known", true, a100Type
	trains := lost
	trains.ID, trains.Account, trains.State, trains.UnstoppableReason, trains.Ask.GPUs.Type = 3, "vision", policy.Suspended, "", ""
	trains.Class = "resnet"
	trains.Training = &policy.Training{Steps: 1000, StepsDone: 10, Rates: []policy.Rate{{Type: a100Type, StepsPerSecond: 2}, {Type: h100Type, StepsPerSecond: 5}},
		SharedRates: []policy.SharedRate{{Type: a100Type, NeighbourClass: "resnet", StepsPerSecond: 1}}}
	beside := trains
	beside.ID, beside.State, beside.On = 5, policy.Running, policy.Alloc{{Node: "n1", Type: a100Type, Count: 2}}
	snapshot := func(nodes []policy.Node, jobs ...policy.Job) *policy.Snapshot {
		return &policy.Snapshot{Seq: 7, Now: SnapshotTime, Nodes: nodes, Jobs: jobs}
	}
	return map[string]*policy.Snapshot{
		"empty":                         snapshot(nil),
		"no nodes":                      snapshot(nil, job(1, 1)),
		"all nodes down":                snapshot([]policy.Node{down}, job(1, 1)),
		"larger than the cluster":       snapshot([]policy.Node{node}, job(1, 5), job(2, 1)),
		"from the future":               snapshot([]policy.Node{node}, future),
		"negative and reversed numbers": snapshot([]policy.Node{node}, strange),
		"runs on a node that vanished":  snapshot([]policy.Node{node}, gone, job(2, 4)),
		"runs on nodes nobody knows":    snapshot([]policy.Node{node}, lost, job(2, 4), trains, job(4, 1), beside),
		"runs, and there are no nodes":  snapshot(nil, lost, job(2, 4), trains),
	}
}
