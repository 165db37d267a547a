package backfill

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Waits is the matrix of waiting times of Apollo (E. Boutin et al., "Apollo: Scalable and Coordinated
// Scheduling for Cloud-Scale Computing", OSDI 2014) for a cluster with one scheduler: how long a request
// waits for GPUs of a type, if jobs run as long as is thought and those with a plan keep it. Numbers of
// GPUs count, and for gangs that want nodes whole or few the nodes on which what runs now ends. Cores and memory
// do not count. Make one for each round.
type Waits struct {
	forecast *Conservative
	nodes    map[string]*nodeReleases    // by GPU type
	gangs    map[gangShape]time.Duration // see gangWait
}

// nodeReleases is what is free of a type on each node, and what comes free later.
type nodeReleases struct {
	free  map[string]int
	later []nodeRelease // by time
}

type nodeRelease struct {
	policy.Slot
	at time.Duration
}

// gangShape is so many nodes with so many devices of a type each.
type gangShape struct {
	partition, gpuType string
	nodes, perNode     int
}

// neverFree says that as many are never free together.
const neverFree = time.Duration(-1)

// NewWaits lays out what is free when, if every job runs for so long.
func NewWaits(r *engine.Round, length engine.RunLength) *Waits {
	w := &Waits{forecast: &Conservative{RunLength: length}, nodes: map[string]*nodeReleases{}, gangs: map[gangShape]time.Duration{}}
	w.forecast.buildForecast(r)
	for i := range r.Nodes {
		n := &r.Nodes[i]
		for _, d := range n.GPUs {
			if w.nodes[d.Type] == nil {
				w.nodes[d.Type] = &nodeReleases{free: map[string]int{}}
			}
			w.nodes[d.Type].free[n.Name] = r.FreePool.FreeOnNode(n.Name, d.Type)
		}
	}
	for _, e := range r.Entries {
		for _, slot := range e.PlannedAlloc {
			if n := w.nodes[slot.Type]; n != nil {
				n.later = append(n.later, nodeRelease{slot, w.forecast.runTimeOf(r, e)})
			}
		}
	}
	for _, n := range w.nodes {
		slices.SortStableFunc(n.later, func(a, b nodeRelease) int { return cmp.Compare(a.at, b.at) })
	}
	return w
}

// Wait returns how long the ask waits for GPUs of the type that are then free for so long; ok is false where that
// is not known to come.
func (w *Waits) Wait(r *engine.Round, partition string, a policy.Ask, gpuType string, length time.Duration) (wait time.Duration, ok bool) {
	wait = w.gangWait(r, partition, &a, gpuType)
	if wait == neverFree {
		return 0, false
	}
	steps := w.forecast.freeForecast.reservableSteps(gpuType)
	if wait == 0 {
		if _, short := steps.firstShortage(a.GPUs.Count, 0, max(length, 1)); !short && len(steps) > 0 {
			return 0, true
		}
	} else {
		steps = steps.startingAt(wait)
	}
	return steps.earliestRoom(a.GPUs.Count, length)
}

// Plan takes GPUs of the type from a moment on for so long, for a job that has a plan.
func (w *Waits) Plan(gpuType string, devices int, from, length time.Duration) {
	w.forecast.freeForecast.reserve(gpuType, devices, from, length)
}

// gangWait returns when as many nodes have as many free devices each as the gang wants, as what runs now ends.
func (w *Waits) gangWait(r *engine.Round, partition string, a *policy.Ask, gpuType string) time.Duration {
	shape := gangShape{partition: partition, gpuType: gpuType, nodes: 1, perNode: 1}
	switch {
	case a.PerNode > 0:
		shape.nodes, shape.perNode = (a.GPUs.Count+a.PerNode-1)/a.PerNode, a.PerNode
	case a.MaxNodes > 0:
		shape.nodes = min(a.MaxNodes, a.GPUs.Count)
		shape.perNode = (a.GPUs.Count + shape.nodes - 1) / shape.nodes
	case a.MinNodes > 1:
		shape.nodes = min(a.MinNodes, a.GPUs.Count)
	}
	wait, known := w.gangs[shape]
	if !known {
		wait = w.nodes[gpuType].waitFor(r, shape)
		w.gangs[shape] = wait
	}
	return wait
}

// waitFor lets time pass until enough nodes of the partition have enough devices free.
func (n *nodeReleases) waitFor(r *engine.Round, shape gangShape) time.Duration {
	if n == nil {
		return neverFree
	}
	free, enough := make(map[string]int, len(n.free)), 0
	for i := range r.Nodes {
		if x := &r.Nodes[i]; x.InPartition(shape.partition) {
			if free[x.Name] = n.free[x.Name]; free[x.Name] >= shape.perNode {
				enough++
			}
		}
	}
	if enough >= shape.nodes {
		return 0
	}
	for _, x := range n.later {
		was, here := free[x.Node]
		if free[x.Node] += x.Count; !here || was >= shape.perNode || was+x.Count < shape.perNode {
			continue
		}
		if enough++; enough >= shape.nodes {
			return x.at
		}
	}
	return neverFree
}
