// Package packs is the clock of Muri's published simulator (Zhao et al., SIGCOMM 2022): whenever
// jobs arrive or end, a Rule says from scratch which jobs run and which of them share GPUs as a
// pack; running jobs then lose, at each such event, the seconds that a start takes.
//
// Simulate puts a policy in the place of the rule. The rules that the simulator came with are restated as they
// are, quirks included, in the tests of package golden.
package packs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/interleave"
	"fairbridge/policy/learn"
	"fairbridge/replica/workload"
)

// plans is the Rule of a policy: its plans are carried out at once. Jobs that have the same GPUs are a
// pack and take turns as package interleave has it. Nobody is resized.
type plans struct {
	*exact.Config
	snapshot   policy.Snapshot
	views      map[*Job]*view
	policyName string
}

func newPlans(c *exact.Config) *plans {
	return &plans{Config: c, views: map[*Job]*view{}, snapshot: policy.Snapshot{
		Cluster: "simulated", Nodes: nodesWithMemory(c.Nodes), OmitReasons: c.OmitsReasons, Accounts: slices.Clone(c.Accounts),
	}}
}

// Choose implements Rule.
func (r *plans) Choose(m *Moment) ([]Pack, error) {
	jobs := slices.Clone(m.Active)
	slices.SortFunc(jobs, func(a, b *Job) int { return cmp.Compare(a.ID, b.ID) })
	if len(jobs) == 0 {
		return nil, nil
	}
	s := r.describe(m, jobs)
	plan, err := r.Policy.Decide(s)
	if err == nil {
		err = plan.Check(s)
	}
	if err != nil {
		return nil, fmt.Errorf("decision %d: %w", s.Seq, err)
	}
	if r.WatchDecision != nil {
		r.WatchDecision(s, plan)
	}
	s.Memo, r.policyName = plan.Memo, plan.Policy
	if err := r.follow(plan, jobs); err != nil {
		return nil, fmt.Errorf("decision %d: carrying out the plan: %w", s.Seq, err)
	}
	return r.packs(jobs)
}

// describe is the moment as a policy sees it, with the jobs by id.
func (r *plans) describe(m *Moment, jobs []*Job) *policy.Snapshot {
	s := &r.snapshot
	s.Seq++
	s.Now, s.ClockSeconds = workload.CalendarTimeAt(m.Now), m.Now
	var f policy.Forecast // nil: nothing is predicted, or the truth
	switch {
	case r.PredictsTruth:
		s.PredictionTrust = 1
	case r.RunTimes != nil:
		f = r.RunTimes.ForecastAt(s.Now)
		s.PredictionTrust = f.PredictionTrust()
	}
	s.Jobs = s.Jobs[:0]
	for _, j := range jobs {
		v := r.views[j]
		if v == nil {
			v = newView(j, m.Cluster.GPUType)
			r.views[j] = v
		}
		v.update(j)
		r.predictTimeLeft(j, v, f)
		s.Jobs = append(s.Jobs, v.Job)
	}
	return s
}

// predictTimeLeft tells policies what remains of a job that does not report it.
func (r *plans) predictTimeLeft(j *Job, v *view, f policy.Forecast) {
	switch {
	case v.Training != nil:
	case r.PredictsTruth:
		v.PredictedLeft = policy.DurationFromSeconds(max(j.SecondsLeft(), 1))
	case f != nil:
		v.PredictedLeft, v.PredictedSigma = f.PredictTimeLeft(&v.Job)
	}
}

// follow does what a lawful plan says: those that leave their GPUs first, and those that come
// beside others last.
func (r *plans) follow(plan *policy.Plan, jobs []*Job) error {
	for i, d := range plan.Decisions {
		r.views[jobs[i]].vacate(d.Verb, r.snapshot.Now)
	}
	for _, isBeside := range []bool{false, true} {
		for i := range plan.Decisions {
			d := &plan.Decisions[i]
			if isStart := d.Verb == policy.Start || d.Verb == policy.Move || d.Verb == policy.Resize; !isStart || (d.Beside != 0) != isBeside {
				continue
			}
			on, err := r.place(d, jobs)
			if err != nil {
				return fmt.Errorf("job %d: %w", d.Job, err)
			}
			r.views[jobs[i]].occupy(on, r.snapshot.Now)
		}
	}
	return nil
}

// place says which devices a decision means: those that it names, those of the job beside which it
// puts another, else the first that are free.
func (r *plans) place(d *policy.Decision, jobs []*Job) (policy.Alloc, error) {
	if d.Beside != 0 {
		i, found := slices.BinarySearchFunc(jobs, int64(d.Beside), func(j *Job, id int64) int { return cmp.Compare(j.ID, id) })
		if !found || len(r.views[jobs[i]].On) == 0 {
			return nil, fmt.Errorf("put beside job %d, which does not run", d.Beside)
		}
		return r.views[jobs[i]].On, nil
	}
	on := slices.Clone(d.On)
	for k := range on {
		if on[k].Devices == 0 {
			on[k].Devices = r.freeDevices(on[k].Node, on[k].Count, jobs)
		}
		if on[k].Devices.Count() != on[k].Count {
			return nil, fmt.Errorf("%d GPUs of %s are not free", on[k].Count, on[k].Node)
		}
	}
	return on, nil
}

// freeDevices are the first so many devices of a node on which nobody is; fewer where there are not
// as many.
func (r *plans) freeDevices(node string, count int, jobs []*Job) policy.DeviceSet {
	var used policy.DeviceSet
	for _, j := range jobs {
		for _, s := range r.views[j].On {
			if s.Node == node {
				used |= s.Devices
			}
		}
	}
	var free []int
	for i := 0; len(free) < count && i < r.Nodes[0].GPUs[0].Count; i++ {
		if !used.Has(i) {
			free = append(free, i)
		}
	}
	return policy.NewDeviceSet(free...)
}

// packs are the jobs that run, those on the same devices together.
func (r *plans) packs(jobs []*Job) ([]Pack, error) {
	var all []Pack
	for _, j := range jobs {
		on := r.views[j].On
		if len(on) == 0 {
			continue
		}
		k := slices.IndexFunc(all, func(p Pack) bool { return r.views[p.Jobs[0]].On.Equal(on) })
		if k < 0 {
			all = append(all, Pack{})
			k = len(all) - 1
		}
		all[k].Jobs = append(all[k].Jobs, j)
	}
	for k := range all {
		if err := r.time(&all[k]); err != nil {
			return nil, err
		}
	}
	return all, r.checkApart(all)
}

// checkApart wants packs on GPUs of their own.
func (r *plans) checkApart(all []Pack) error {
	used := map[string]policy.DeviceSet{}
	for _, p := range all {
		for _, s := range r.views[p.Jobs[0]].On {
			if used[s.Node]&s.Devices != 0 {
				return fmt.Errorf("job %d shares some of its GPUs of %s with jobs that do not have all of them, and how fast that is is not known", p.Jobs[0].ID, s.Node)
			}
			used[s.Node] |= s.Devices
		}
	}
	return nil
}

// time says how long a step of a pack takes, and its start: those of its jobs one after another.
func (r *plans) time(p *Pack) error {
	if len(p.Jobs) == 1 {
		*p = Alone(p.Jobs[0])
		return nil
	}
	var known []interleave.Job
	for _, j := range p.Jobs {
		k, ok := modelOf(j)
		if !ok || len(p.Jobs) > interleave.MaxJobs {
			return fmt.Errorf("job %d shares its GPUs with %d others, and how fast that is is known of up to %d jobs that tell the stages of a step", j.ID, len(p.Jobs)-1, interleave.MaxJobs)
		}
		known = append(known, k)
		p.StartSeconds += j.StartSeconds
	}
	p.StepSeconds = interleave.StepSeconds(known)
	return nil
}

// modelOf is what is known of the job beside others, with the step that it truly has here.
func modelOf(j *Job) (interleave.Job, bool) {
	known, ok := interleave.JobOf(j.Sharing)
	known.StepSeconds = j.StepSeconds
	return known, ok && j.IsShareable
}

// Left implements Leaver: what predicts run times learns of it.
func (r *plans) Left(j *Job) {
	v := r.views[j]
	delete(r.views, j)
	if r.RunTimes != nil {
		r.RunTimes.AddEndedRun(learn.Run{
			Job:   learn.Job{User: j.User, Account: j.Account, Name: j.Name, GPUType: v.On.FirstType(), GPUs: j.GPUs, Limit: j.TimeLimit},
			Start: workload.CalendarTimeAt(j.outcome.Start), End: workload.CalendarTimeAt(j.outcome.Finish), Ran: policy.DurationFromSeconds(j.outcome.HeldSeconds),
		})
	}
}

// Cluster is which GPUs of equal nodes are free.
type Cluster struct {
	GPUsPerNode int
	GPUType     string
	free        []int // by node
}

// NewCluster returns the cluster of the nodes, which all must have the same number of GPUs of one
// type.
func NewCluster(nodes []policy.Node) (*Cluster, error) {
	c := &Cluster{}
	for i := range nodes {
		if len(nodes[i].GPUs) != 1 || i > 0 && (nodes[i].GPUs[0].Count != c.GPUsPerNode || nodes[i].GPUs[0].Type != c.GPUType) {
			return nil, fmt.Errorf("node %s: packs need nodes with the same number of GPUs of one type each", nodes[i].Name)
		}
		c.GPUsPerNode, c.GPUType = nodes[i].GPUs[0].Count, nodes[i].GPUs[0].Type
	}
	if c.GPUsPerNode <= 0 {
		return nil, errors.New("packs need a cluster with GPUs")
	}
	c.free = make([]int, len(nodes))
	c.Clear()
	return c, nil
}

// Clear frees all GPUs.
func (c *Cluster) Clear() {
	for i := range c.free {
		c.free[i] = c.GPUsPerNode
	}
}

// NodeCount is how many nodes there are.
func (c *Cluster) NodeCount() int { return len(c.free) }

// GPUCount is how many GPUs there are, free or not.
func (c *Cluster) GPUCount() int { return len(c.free) * c.GPUsPerNode }

// NodesFor is how many whole nodes a job of more GPUs than a node has takes.
func (c *Cluster) NodesFor(gpus int) int { return (gpus + c.GPUsPerNode - 1) / c.GPUsPerNode }

// Place takes so many GPUs of the first node that has them free; if no node has as many, of
// the first nodes that are wholly free. It reports whether there were enough, and else takes none.
func (c *Cluster) Place(gpus int) bool {
	if gpus > c.GPUsPerNode {
		return c.placeOnWholeNodes(gpus)
	}
	for i := range c.free {
		if c.free[i] >= gpus {
			c.free[i] -= gpus
			return true
		}
	}
	return false
}

func (c *Cluster) placeOnWholeNodes(gpus int) bool {
	var whole []int
	for i := range c.free {
		if c.free[i] == c.GPUsPerNode && len(whole) < c.NodesFor(gpus) {
			whole = append(whole, i)
		}
	}
	if len(whole) < c.NodesFor(gpus) {
		return false
	}
	for _, i := range whole {
		used := min(gpus, c.GPUsPerNode)
		c.free[i] -= used
		gpus -= used
	}
	return true
}
