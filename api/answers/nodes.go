package answers

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fairbridge/accounting/samples"
	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// maxReadingAge is how old a measurement of a GPU may be that is shown, and readingsFreshFor how long
// measurements are not read again.
const (
	maxReadingAge    = 2 * time.Minute
	readingsFreshFor = 20 * time.Second
)

// Nodes returns the map of nodes and their GPUs: what is given to jobs beside what is measured.
func (s *Service) Nodes(ctx context.Context, v api.Viewer, q api.NodeQuery) (*api.Nodes, error) {
	if err := s.checkPartitions(q.Partitions); err != nil {
		return nil, err
	}
	limit, err := pageLimit(q.Limit)
	if err != nil {
		return nil, err
	}
	w := s.newRequest(ctx, &v)
	if !w.SeesNodes() {
		return nil, forbidden("nodes are private here", "the queue and your jobs tell where yours run")
	}
	if len(w.cycles) == 0 && w.cyclesErr != nil {
		return nil, toldError(&v, "reading the nodes", w.cyclesErr)
	}
	out := w.nodePage(&q, limit)
	readings, err := s.readings.Get(ctx)
	for i := range out.Nodes {
		if err == nil && w.seesUseOn(out.Nodes[i].Name) {
			addReadings(&out.Nodes[i], readings)
		}
	}
	return out, nil
}

// nodePage returns the nodes of a page, by name.
func (w *request) nodePage(q *api.NodeQuery, limit int) *api.Nodes {
	out := &api.Nodes{Nodes: []api.Node{}}
	names, cyclesByNode := w.nodeNames(q)
	out.Total = len(names)
	for _, c := range w.cycles {
		if out.AsOf.IsZero() || c.At.Before(out.AsOf) {
			out.AsOf, out.Stale = c.At, w.isStale(c)
		}
	}
	for _, name := range names {
		switch {
		case name <= q.After:
		case len(out.Nodes) < limit:
			out.Nodes = append(out.Nodes, w.node(name, cyclesByNode[name]))
		case out.Next == "":
			out.Next = out.Nodes[limit-1].Name
		}
	}
	return out
}

// nodeNames returns the nodes that match, sorted, and the cycles that show each.
func (w *request) nodeNames(q *api.NodeQuery) (names []string, cyclesByNode map[string][]*lastcycle.Cycle) {
	cyclesByNode = map[string][]*lastcycle.Cycle{}
	wanted := setOf(q.Names)
	for _, c := range w.cycles {
		for i := range c.Nodes() {
			n := &c.Nodes()[i]
			if len(wanted) > 0 && !wanted[n.Name] || len(q.Partitions) > 0 && !slices.ContainsFunc(n.Partitions, func(p string) bool { return slices.Contains(q.Partitions, p) }) {
				continue
			}
			if cyclesByNode[n.Name] == nil {
				names = append(names, n.Name)
			}
			cyclesByNode[n.Name] = append(cyclesByNode[n.Name], c)
		}
	}
	slices.Sort(names)
	return names, cyclesByNode
}

// node returns a node as the newest of the cycles that show it does, with the jobs of all of them.
func (w *request) node(name string, cycles []*lastcycle.Cycle) api.Node {
	newest := slices.MaxFunc(cycles, func(x, y *lastcycle.Cycle) int { return x.At.Compare(y.At) })
	n := newest.Snapshot.Node(name)
	out := api.Node{Name: name, Partitions: n.Partitions, Down: w.Hide(n.DownReason), GPUs: make([]api.NodeGPUs, len(n.GPUs)), Jobs: []api.NodeJob{}}
	for i, d := range n.GPUs {
		out.GPUs[i] = api.NodeGPUs{Type: d.Type, Count: d.Count, Sick: d.SickCount}
	}
	seen := map[policy.JobID]bool{}
	for _, c := range cycles {
		for _, r := range c.RowsOfNode(name) {
			if !seen[r.JobID] {
				seen[r.JobID] = true
				w.addNodeJob(&out, c, r)
			}
		}
	}
	return out
}

// addNodeJob adds a job that holds GPUs of the node.
func (w *request) addNodeJob(n *api.Node, c *lastcycle.Cycle, r *api.QueueJob) {
	held := 0
	for _, slot := range c.Snapshot.Job(r.JobID).On {
		if slot.Node != n.Name {
			continue
		}
		held += slot.Count
		for i := range n.GPUs {
			if n.GPUs[i].Type == slot.Type {
				n.GPUs[i].Allocated += slot.Count
			}
		}
	}
	if !w.SeesJob(r.User, r.Account) {
		n.HiddenJobs++
		return
	}
	n.Jobs = append(n.Jobs, api.NodeJob{Address: r.Address, User: r.User, Account: r.Account, GPUs: held})
}

// seesUseOn reports whether it may be seen what the GPUs of a node do: each may be any job's there, so that
// all of them must be jobs whose use may be seen. Where usage is private and no such job is there, it may be of
// one that has just ended, or that no partition here shows.
func (w *request) seesUseOn(node string) bool {
	if w.Viewer.IsOperator() || !w.Private.Usage {
		return true
	}
	jobCount := 0
	for _, c := range w.cycles {
		for _, r := range c.RowsOfNode(node) {
			if jobCount++; !w.SeesUse(r.User, r.Account) {
				return false
			}
		}
	}
	return jobCount > 0
}

// readReadings reads what was measured last of every GPU, by node and GPU.
func (s *Service) readReadings(ctx context.Context) ([]samples.LastReading, error) {
	return s.parts.Record.LastReadings(ctx, s.Cluster, s.parts.Now().Add(-maxReadingAge))
}

// addReadings adds to a node what was measured there; readings are by node.
func addReadings(n *api.Node, readings []samples.LastReading) {
	from, _ := slices.BinarySearchFunc(readings, n.Name, func(r samples.LastReading, name string) int { return cmp.Compare(r.Node, name) })
	for _, r := range readings[from:] {
		if r.Node != n.Name {
			break
		}
		n.Devices = append(n.Devices, api.DeviceUse{UUID: r.UUID, Type: r.Type, At: r.At, Busy: r.Busy, Memory: r.MemoryShare, Watts: r.Watts})
	}
}

// newJobSize says what a job of a snapshot runs on, and what is recommended to it there; nil for
// waiting tasks of an array, which have no size of their own.
func newJobSize(s *policy.Snapshot, j *policy.Job) *api.JobSize {
	if j.TaskCount() > 1 {
		return nil
	}
	held := scaling.HeldSize(s, j)
	out := &api.JobSize{GPUs: held.Devices, Nodes: len(j.On.Nodes()), Runs: j.HoldsGPUs(), Restarts: j.StopCount, MinGPUs: j.MinGPUs, MaxGPUs: j.MaxGPUs}
	if j.CheckpointCost > 0 {
		out.RestartSeconds, out.RestartSource = j.CheckpointCost.Seconds(), cmp.Or(j.CheckpointSource, "its owner's word")
	}
	if j.Scaling == nil {
		return out
	}
	curve := scaling.New(j)
	out.Speed, out.SpeedSource, out.SpeedSigma = curve.Speed(held), string(curve.Source()), j.Scaling.RelativeSigma
	batch, _ := curve.BestBatch(held)
	out.Batch, out.GPUBatch, out.Accumulation = batch.Global, batch.PerDevice, batch.AccumulationSteps
	return out
}

// hideSpeed leaves of a size what everybody sees who may see the job.
func hideSpeed(size *api.JobSize) *api.JobSize {
	if size == nil {
		return nil
	}
	return &api.JobSize{GPUs: size.GPUs, Nodes: size.Nodes, Runs: size.Runs, Restarts: size.Restarts}
}
