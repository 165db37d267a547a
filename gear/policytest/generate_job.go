package policytest

import (
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// jobGenerator makes jobs one after the other; the pool knows what those before
// hold.
type jobGenerator struct {
	*rapid.T
	*policy.Snapshot
	pool           *pool.Pool
	hasShortWaits  bool // no job waits longer than a day
	hasUniformJobs bool // all jobs can use all devices, so that they stand in each other's way
}

func (g *jobGenerator) drawTimeAgo(label string, most time.Duration) time.Time {
	return SnapshotTime.Add(-time.Duration(rapid.IntRange(0, int(most/time.Minute)).Draw(g.T, label)) * time.Minute)
}

func (g *jobGenerator) drawJob(id policy.JobID) policy.Job {
	longest := 80 * time.Hour
	if g.hasShortWaits {
		longest = 20 * time.Hour
	}
	j := policy.Job{
		ID: id, User: drawOneOf(g.T, "user", "ann", "bob"), Account: drawOneOf(g.T, "account", "nlp", "ops", "vision"),
		Partition: drawOneOf(g.T, "partition", "batch", "long"), State: policy.Pending, Arrive: g.drawTimeAgo("arrive", longest),
		Limit: drawOneOf(g.T, "limit", 0, time.Hour, 10*time.Hour, 100*time.Hour), Ask: g.drawAsk(),
		CheckpointCost: drawOneOf(g.T, "checkpoint", 0, time.Minute), Shareable: drawChance(g.T, "shareable", 4),
	}
	if g.hasUniformJobs {
		j.Partition, j.Ask = "batch", policy.Ask{GPUs: policy.GPUs{Count: drawOneOf(g.T, "plain gpus", 1, 1, 2, 4)}}
	}
	j.Submit = j.Arrive
	if g.drawBool("runs") && g.startJob(&j) {
		if g.hasUniformJobs && !drawChance(g.T, "another account", 4) {
			j.Account = "nlp" // it flooded the cluster
		}
		return j
	}
	g.drawPendingState(&j)
	return j
}

// drawBool draws a boolean.
func (g *jobGenerator) drawBool(label string) bool { return rapid.Bool().Draw(g.T, label) }

func (g *jobGenerator) drawAsk() policy.Ask {
	a := policy.Ask{
		GPUs:     policy.GPUs{Type: drawOneOf(g.T, "type", "", "", a100Type, h100Type, sliceType), Count: drawOneOf(g.T, "gpus", 1, 1, 2, 3, 4, 8, 16)},
		CPUs:     drawOneOf(g.T, "cpus", 0, 4, 16),
		MemMB:    drawOneOf(g.T, "mem", int64(0), int64(8_000), int64(100_000)),
		Features: drawOneOf(g.T, "features", nil, nil, nil, []string{"nvlink"}),
	}
	if a.GPUs.Type == sliceType {
		a.GPUs.PartPercent = 14
	}
	if g.drawBool("shaped") {
		a.MinNodes = drawOneOf(g.T, "nodes", 1, 1, 2)
		a.MaxNodes = drawOneOf(g.T, "most nodes", 0, a.MinNodes)
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
	if drawChance(g.T, "picky", 6) {
		a.ExcludedNodes = drawSubset(g.T, "exclude", names)
	} else if drawChance(g.T, "insists", 6) && len(names) > 0 {
		a.RequiredNodes = []string{names[rapid.IntRange(0, len(names)-1).Draw(g.T, "require")]}
	}
	return a
}

// startJob lets the job hold devices, if there are any for it.
func (g *jobGenerator) startJob(j *policy.Job) bool {
	on, err := pool.Fit(g.pool, j.Partition, j.Ask)
	if err != nil || g.pool.Take(on, j.Ask.CPUs, j.Ask.MemMB) != nil {
		return false
	}
	j.State, j.On = policy.Running, on
	if drawChance(g.T, "where it runs is not known", 12) {
		j.On = nil
	}
	if drawChance(g.T, "suspended", 10) {
		j.State = policy.Suspended
	}
	if drawChance(g.T, "fixed", 4) {
		j.UnstoppableReason = "not marked as requeueable"
	}
	j.Start = g.drawTimeAgo("start", SnapshotTime.Sub(j.Arrive))
	j.FirstStart = j.Start
	j.Attained = policy.ServiceForTime(j.Ask.GPUs.WholeGPUs(), SnapshotTime.Sub(j.Start))
	g.drawEarlierRuns(j, j.Start)
	j.Progress = drawOneOf(g.T, "progress", policy.OptionalValue{}, policy.KnownValue(0), policy.KnownValue(0.3), policy.KnownValue(1))
	return true
}

// drawEarlierRuns gives the job earlier runs, before the time.
func (g *jobGenerator) drawEarlierRuns(j *policy.Job, before time.Time) {
	if !drawChance(g.T, "stopped before", 3) {
		return
	}
	j.StopCount = drawOneOf(g.T, "stops", 1, 2, 5, 13)
	j.FirstStart = j.Arrive
	j.LastStop = j.Arrive.Add(before.Sub(j.Arrive) / 2)
	j.Submit = j.LastStop
	j.Attained += policy.ServiceForTime(j.Ask.GPUs.WholeGPUs(), j.LastStop.Sub(j.FirstStart))
}

func (g *jobGenerator) drawPendingState(j *policy.Job) {
	g.drawEarlierRuns(j, SnapshotTime)
	j.PredictedLeft = drawOneOf(g.T, "left", 0, time.Hour)
	if j.PredictedLeft > 0 {
		j.PredictedSigma = drawOneOf(g.T, "sigma", 0, time.Minute, 4*time.Hour)
	}
	switch rapid.IntRange(0, 11).Draw(g.T, "peculiarity") {
	case 6:
		j.StuckReason = "it was to start, and did not"
	case 8:
		j.HeldReason = "held by its user"
	case 9:
		j.EligibleAt = SnapshotTime.Add(time.Hour)
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
