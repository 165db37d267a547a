package elasticgain

import (
	"slices"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/paired"
	"fairbridge/bridge/study/workload"
)

// Group is a part of the jobs.
type Group string

// The groups.
const (
	AllJobs      Group = "all"
	RigidJobs    Group = "rigid"   // those that declared no range
	ElasticJobs  Group = "elastic" // those that did
	groupsOfJobs       = 3
)

// Groups are all groups, in the order of a table.
func Groups() [groupsOfJobs]Group { return [groupsOfJobs]Group{AllJobs, RigidJobs, ElasticJobs} }

// has reports whether the job is of the group.
func (g Group) has(j *workload.Job) bool {
	return g == AllJobs || (g == ElasticJobs) == (j.MaxGPUs > 0)
}

// Figures are what is compared.
func (c *Cell) Figures() *paired.Set {
	return paired.NewSet(cluster.MaxGPUsPerNode(c.Scenarios[0].Nodes), nil)
}

// AgainstSlurm compares a group of the variant's jobs with the same jobs under Slurm alone.
func (c *Cell) AgainstSlurm(v *Variant, g Group) paired.Comparison {
	return c.Figures().Compare(v.PolicyName, c.only(g, v.Runs), c.only(g, c.Slurm))
}

// AgainstPreempt compares a group of the jobs under a policy in mode elastic with the same jobs under
// the same policy in mode preempt, where no range counts.
func (c *Cell) AgainstPreempt(elastic *Variant, g Group) paired.Comparison {
	for i := range c.Variants {
		if v := &c.Variants[i]; v.PolicyName == elastic.PolicyName && v.Mode != elastic.Mode {
			return c.Figures().Compare(v.PolicyName, c.only(g, elastic.Runs), c.only(g, v.Runs))
		}
	}
	return paired.Comparison{}
}

// only returns the runs with the outcomes of the group alone; a run in which it has no job is nil.
func (c *Cell) only(g Group, runs []*measure.Run) []*measure.Run {
	out := make([]*measure.Run, len(runs))
	for i, r := range runs {
		wanted := map[int64]bool{}
		for k := range c.Scenarios[i].Jobs {
			j := &c.Scenarios[i].Jobs[k]
			wanted[j.ID] = g.has(j)
		}
		of := *r
		of.JobOutcomes = slices.DeleteFunc(slices.Clone(r.JobOutcomes), func(j measure.JobOutcome) bool { return !wanted[j.ID] })
		if len(of.JobOutcomes) > 0 {
			out[i] = &of
		}
	}
	return out
}
