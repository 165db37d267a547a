// Package elasticgain measures what mode elastic changes beside Slurm alone: the same jobs, of which
// a part declares ranges, through the daemon's whole loop to a simulated Slurm, in mode preempt,
// where ranges do not count, and in mode elastic. Those who declared nothing are told apart: they
// must not pay for it.
package elasticgain

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"fairbridge/bridge"
	"fairbridge/lab/experiment"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/paired"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// Options say what is measured.
type Options struct {
	// Draw makes the jobs of a seed and their cluster; ranges and who may be stopped are drawn here.
	Draw            func(seed int64) (*study.Scenario, error)
	Seeds           int       // from 1
	ElasticShares   []float64 // of jobs that declare a range, of those that fit on one node
	StoppableShares []float64 // of jobs that may be stopped
	Policies        []string  // by name; each is run in both modes
	Parallel        int       // runs at a time; 0: 1
	// OnCell is given each cell that is done; its runs are not kept after it.
	OnCell func(*Cell)
}

// Cell is what came of one elastic share and one stoppable share.
type Cell struct {
	ElasticShare, StoppableShare float64
	Scenarios                    []*study.Scenario // by seed
	Slurm                        []*measure.Run    // by seed, of Slurm alone
	Variants                     []Variant
}

// Variant is a policy in a mode.
type Variant struct {
	PolicyName string
	Mode       bridge.Mode
	Runs       []*measure.Run // by seed
}

// Measure makes all runs, one cell after the other. Errors name the run that failed.
func Measure(ctx context.Context, o Options) error {
	for _, stoppable := range o.StoppableShares {
		for _, elastic := range o.ElasticShares {
			c := &Cell{ElasticShare: elastic, StoppableShare: stoppable}
			if err := c.run(ctx, &o); err != nil {
				return fmt.Errorf("%g of the jobs elastic, %g may be stopped: %w", elastic, stoppable, err)
			}
			o.OnCell(c)
		}
	}
	return nil
}

// run makes the runs of the cell.
func (c *Cell) run(ctx context.Context, o *Options) error {
	for seed := int64(1); seed <= int64(o.Seeds); seed++ {
		s, err := o.Draw(seed)
		if err != nil {
			return err
		}
		study.SetStoppableShare(s.Jobs, c.StoppableShare, seed)
		s.SetElasticShare(c.ElasticShare, seed)
		c.Scenarios = append(c.Scenarios, s)
	}
	all := []Variant{{PolicyName: policyset.SlurmName}}
	for _, name := range o.Policies {
		all = append(all, Variant{PolicyName: name, Mode: bridge.ModePreempt}, Variant{PolicyName: name, Mode: bridge.ModeElastic})
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(o.Parallel, 1))
	for i := range all {
		all[i].Runs = make([]*measure.Run, o.Seeds)
		for k := range all[i].Runs {
			group.Go(func() (err error) {
				all[i].Runs[k], err = all[i].run(ctx, c.Scenarios[k], int64(k+1))
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	c.Slurm, c.Variants = all[0].Runs, all[1:]
	return nil
}

// run makes one run.
func (v *Variant) run(ctx context.Context, s *study.Scenario, seed int64) (*measure.Run, error) {
	choices, err := policyset.ParsePolicies(v.PolicyName, false)
	if err != nil {
		return nil, err
	}
	o := study.RunOptions{ThroughSlurm: true, Seed: seed, Mode: v.Mode}
	if err := experiment.SetClock(&o, "auto", 0, s); err != nil {
		return nil, err
	}
	run, err := s.Run(ctx, choices[0], o, nil)
	if err != nil {
		return nil, fmt.Errorf("mode %s, seed %d: %w", v.Mode, seed, err)
	}
	run.Samples, run.DecideSeconds = nil, nil
	return run, nil
}

// Group is a part of the jobs.
type Group string

// The groups.
const (
	AllJobs     Group = "all"
	RigidJobs   Group = "rigid"   // those that declared no range
	ElasticJobs Group = "elastic" // those that did
)

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
