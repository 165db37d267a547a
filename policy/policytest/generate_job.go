package policytest

import (
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// generator makes jobs one after the other; the pool knows what those before
// hold.
type generator struct {
	*rapid.T
	*policy.Snapshot
	pool  *pool.Pool
	calm  bool // no job waits longer than a day
	plain bool // all jobs can use all devices, so that they stand in each other's way
}

func (g *generator) ago(label string, most time.Duration) time.Time {
	return Now.Add(-time.Duration(rapid.IntRange(0, int(most/time.Minute)).Draw(g.T, label)) * time.Minute)
}

func (g *generator) job(id policy.JobID) policy.Job {
	longest := 80 * time.Hour
	if g.calm {
		longest = 20 * time.Hour
	}
	j := policy.Job{
		ID: id, User: pick(g.T, "user", "ann", "bob"), Account: pick(g.T, "account", "nlp", "ops", "vision"),
		Partition: pick(g.T, "partition", "batch", "long"), State: policy.Pending, Arrive: g.ago("arrive", longest),
		Limit: pick(g.T, "limit", 0, time.Hour, 10*time.Hour, 100*time.Hour), Ask: g.ask(),
		Checkpoint: pick(g.T, "checkpoint", 0, time.Minute), Shareable: chance(g.T, "shareable", 4),
	}
	if g.plain {
		j.Partition, j.Ask = "batch", policy.Ask{GPUs: policy.GPUs{Count: pick(g.T, "plain gpus", 1, 1, 2, 4)}}
	}
	j.Submit = j.Arrive
	if g.Bool("runs") && g.run(&j) {
		if g.plain && !chance(g.T, "another account", 4) {
			j.Account = "nlp" // it flooded the cluster
		}
		return j
	}
	g.queue(&j)
	return j
}

// Bool draws a boolean.
func (g *generator) Bool(label string) bool { return rapid.Bool().Draw(g.T, label) }

func (g *generator) ask() policy.Ask {
	a := policy.Ask{
		GPUs:     policy.GPUs{Type: pick(g.T, "type", "", "", typeA, typeH, typeSlice), Count: pick(g.T, "gpus", 1, 1, 2, 3, 4, 8, 16)},
		CPUs:     pick(g.T, "cpus", 0, 4, 16),
		MemMB:    pick(g.T, "mem", int64(0), int64(8_000), int64(100_000)),
		Features: pick(g.T, "features", nil, nil, nil, []string{"nvlink"}),
	}
	if a.GPUs.Type == typeSlice {
		a.GPUs.PartPercent = 14
	}
	if g.Bool("shaped") {
		a.MinNodes = pick(g.T, "nodes", 1, 1, 2)
		a.MaxNodes = pick(g.T, "most nodes", 0, a.MinNodes)
		if per := a.GPUs.Count / a.MinNodes; per > 0 {
			a.PerNode, a.GPUs.Count = per, per*a.MinNodes
		} else {
			a.MinNodes, a.MaxNodes = 1, 0
		}
	}
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name)
	}
	if chance(g.T, "picky", 6) {
		a.ExcludedNodes = sorted(g.T, "exclude", names)
	} else if chance(g.T, "insists", 6) && len(names) > 0 {
		a.RequiredNodes = []string{names[rapid.IntRange(0, len(names)-1).Draw(g.T, "require")]}
	}
	return a
}

// run lets the job hold devices, if there are any for it.
func (g *generator) run(j *policy.Job) bool {
	on, err := pool.Fit(g.pool, j.Partition, j.Ask)
	if err != nil || g.pool.Take(on, j.Ask.CPUs, j.Ask.MemMB) != nil {
		return false
	}
	j.State, j.On = policy.Running, on
	if chance(g.T, "where it runs is not known", 12) {
		j.On = nil
	}
	if chance(g.T, "suspended", 10) {
		j.State = policy.Suspended
	}
	if chance(g.T, "fixed", 4) {
		j.UnstoppableReason = "not marked as requeueable"
	}
	j.Start = g.ago("start", Now.Sub(j.Arrive))
	j.FirstStart = j.Start
	j.Attained = policy.Service(j.Ask.GPUs.WholeGPUs(), Now.Sub(j.Start))
	g.stopped(j, j.Start)
	j.Progress = pick(g.T, "progress", policy.Measure{}, policy.NewMeasure(0), policy.NewMeasure(0.3), policy.NewMeasure(1))
	return true
}

// stopped gives the job earlier runs, before the time.
func (g *generator) stopped(j *policy.Job, before time.Time) {
	if !chance(g.T, "stopped before", 3) {
		return
	}
	j.Stops = pick(g.T, "stops", 1, 2, 5, 13)
	j.FirstStart = j.Arrive
	j.LastStop = j.Arrive.Add(before.Sub(j.Arrive) / 2)
	j.Submit = j.LastStop
	j.Attained += policy.Service(j.Ask.GPUs.WholeGPUs(), j.LastStop.Sub(j.FirstStart))
}

func (g *generator) queue(j *policy.Job) {
	g.stopped(j, Now)
	j.PredictedLeft = pick(g.T, "left", 0, time.Hour)
	switch rapid.IntRange(0, 11).Draw(g.T, "peculiarity") {
	case 6:
		j.StuckReason = "it was to start, and did not"
	case 8:
		j.HeldReason = "held by its user"
	case 9:
		j.EligibleAt = Now.Add(time.Hour)
	case 10:
		j.Tasks = rapid.IntRange(2, 5).Draw(g.T, "tasks")
	case 11:
		j.UnplaceableReason = "its constraint is an expression"
	case 7:
		if j.Ask.PerNode == 0 {
			j.MinGPUs, j.MaxGPUs = 1, j.Ask.GPUs.Count*2
		}
	}
}
