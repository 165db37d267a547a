package swayam

import (
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/replicas"
)

// scaling is which replicas of a snapshot are not to start, and which are not needed. It implements engine.Admitter
// and engine.Allocator.
type scaling struct {
	refusals map[policy.JobID]error
	surplus  map[policy.JobID]string // those that run and may stop now, and why
	notes    map[policy.JobID]string
	atOnce   bool            // they stop whether another job wants their GPUs or not
	serving  map[string]bool // partitions in which services are scaled
}

// service is one that is scaled.
type service struct {
	replicas.Service
	mayStop bool // none of its replicas was stopped within the time between two
}

func newScaling(p *Policy, s *policy.Snapshot) *scaling {
	c := &scaling{map[policy.JobID]error{}, map[policy.JobID]string{}, map[policy.JobID]string{}, p.Release == "at-once", map[string]bool{}}
	for _, v := range p.listServices(s) {
		c.serving[v.Partition] = true
		c.decide(p, v, s)
	}
	return c
}

// listServices returns the services that are scaled, each with its replicas: those that run in the order of
// their starts, those that wait by arrival.
func (p *Policy) listServices(s *policy.Snapshot) []*service {
	var all []*service
	byName := map[string]*service{}
	for i := range s.InferenceServices {
		if v := &s.InferenceServices[i]; v.Scaling != nil && byName[v.Name] == nil {
			byName[v.Name] = &service{Service: replicas.Service{InferenceService: v}, mayStop: true}
			all = append(all, byName[v.Name])
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		v := byName[j.ReplicaOf]
		if v == nil {
			continue
		}
		switch {
		case j.State == policy.Running:
			v.Running = append(v.Running, j)
		case j.CanStart(s.Now):
			v.Waiting = append(v.Waiting, j)
		}
		if !j.HoldsGPUs() && !j.LastStop.IsZero() && s.Now.Sub(j.LastStop) < p.Retire {
			v.mayStop = false
		}
	}
	for _, v := range all {
		slices.SortStableFunc(v.Running, func(a, b *policy.Job) int { return a.Start.Compare(b.Start) })
		slices.SortStableFunc(v.Waiting, func(a, b *policy.Job) int { return a.Arrive.Compare(b.Arrive) })
	}
	return all
}

// decide says which replicas of a service start, and whether one may stop: the last that started of those whose owners
// agreed.
func (c *scaling) decide(p *Policy, v *service, s *policy.Snapshot) {
	need := p.rule().Count(&v.Service, s.Now)
	serving, all := len(v.Running), policy.FormatCount(v.CountAll(), "replica")
	for _, j := range v.Waiting {
		if serving < need.Start {
			c.notes[j.ID] = fmt.Sprintf("service %s needs %d of its %s: %s", v.Name, need.Start, all, need.Why)
		} else {
			c.refusals[j.ID] = fmt.Errorf("service %s needs %d of its %s, and %d run: %s", v.Name, need.Start, all, len(v.Running), need.Why)
		}
		serving += j.TaskCount()
	}
	for _, j := range v.Running {
		c.notes[j.ID] = fmt.Sprintf("service %s needs %d of its %s: %s", v.Name, need.Start, all, need.Why)
	}
	if !v.mayStop || len(v.Running) <= need.Keep {
		return
	}
	for _, j := range slices.Backward(v.Running) {
		if j.UnstoppableReason == "" && len(j.On) > 0 && j.Ran(s.Now) >= p.MinRun && (p.MaxStops <= 0 || j.StopCount < p.MaxStops) {
			c.surplus[j.ID] = fmt.Sprintf("service %s needs %s, and %d run: %s", v.Name, policy.FormatCount(need.Keep, "replica"), len(v.Running), need.Why)
			return
		}
	}
}

// Admit implements engine.Admitter.
func (c *scaling) Admit(_ *engine.Round, e *engine.Entry) error { return c.refusals[e.ID] }

// Allocate implements engine.Allocator.
func (c *scaling) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	entries, err := line.Order(r)
	if err != nil {
		return nil, err
	}
	out := make([]engine.Assignment, len(entries))
	for i, e := range entries {
		out[i] = e.AssignmentWithoutLease()
		if out[i].Note = c.notes[e.ID]; c.atOnce {
			out[i].Grant.StopReason = c.surplus[e.ID]
		}
	}
	return out, nil
}

// tier lets all jobs of the partition of a scaled service give way to replicas, and replicas that are not needed to all
// other jobs.
func (c *scaling) tier(_ *engine.Round, e *engine.Entry) int {
	switch {
	case c.surplus[e.ID] != "":
		return 2
	case e.ReplicaOf == "" && c.serving[e.Partition]:
		return 1
	}
	return 0
}
