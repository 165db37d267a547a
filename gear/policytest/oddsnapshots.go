package policytest

import (
	"time"

	"fairbridge/policy"
)

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
