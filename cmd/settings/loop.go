package settings

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// newLoopConfig returns the loop's configuration without its policies.
func (f *File) newLoopConfig() bridge.Config {
	c := bridge.Config{
		ClusterName: f.Cluster, Interval: f.Interval, CycleDeadline: f.Deadline, WarmupPolls: f.Warmup, PinsStartingJobs: f.Pin,
		Order: f.Order, Lease: f.Lease, PreemptOptIn: f.Preempt, SiteGPUSpeeds: f.newSpeeds(), BillingWeights: f.GPUs.BillingWeight, Budgets: f.Gate,
		StopFile: f.StopFile, LeaderTTL: f.Leader.TTL,
	}
	for i := range f.Partitions {
		p := &f.Partitions[i]
		canary, _ := p.Canary.newCanary(p) // checked when the file was read
		c.Partitions = append(c.Partitions, bridge.Partition{
			Name: p.Name, Mode: cmp.Or(p.Mode, bridge.ModeObserve), PlanAs: p.PlanAs, Policy: p.policyName(), Params: formatParams(p.Params), Warning: p.newNotice(), SharesBetweenUsers: p.ShareBetweenUsers, StopIdleAfter: p.StopIdleAfter, DeadlineBudgets: p.newDeadlineBudgets(), Services: p.newServices(), Canary: canary,
		})
	}
	return c
}

// newDeadlineBudgets returns what was granted, those of accounts first, each sorted by name.
func (p *Partition) newDeadlineBudgets() []policy.DeadlineBudget {
	var ofAccounts, ofQOS []policy.DeadlineBudget
	for _, name := range slices.Sorted(maps.Keys(p.DeadlineBudget)) {
		weekly := policy.GPUSeconds(p.DeadlineBudget[name] * 3600)
		if qos, ok := strings.CutPrefix(name, "qos:"); ok {
			ofQOS = append(ofQOS, policy.DeadlineBudget{QOS: qos, Weekly: weekly})
		} else {
			ofAccounts = append(ofAccounts, policy.DeadlineBudget{Account: name, Weekly: weekly})
		}
	}
	return slices.Concat(ofAccounts, ofQOS)
}

// MaxCycleAge is the age beyond which the last cycle says little of the present: a daemon that
// runs has stored another since, unless it cannot read Slurm.
func (f *File) MaxCycleAge() time.Duration { return 3*f.Interval + time.Minute }

// LoopConfig returns the loop's configuration, with a policy made for each
// partition.
func (f *File) LoopConfig() (bridge.Config, error) {
	c := f.newLoopConfig()
	host, err := os.Hostname()
	if err != nil {
		return c, fmt.Errorf("finding this host's name: %w", err)
	}
	c.DaemonName = fmt.Sprintf("%s:%d", host, os.Getpid())
	for i := range c.Partitions {
		p := &c.Partitions[i]
		entry, err := catalogue.FindSystem(p.Policy)
		if err != nil {
			return c, fmt.Errorf("partition %s: %w", p.Name, err)
		}
		if p.DecidingPolicy, err = entry.New(f.Partitions[i].Params); err != nil {
			return c, fmt.Errorf("partition %s: policy %s: %w", p.Name, p.Policy, err)
		}
		if p.Canary == nil {
			continue
		}
		if p.Canary.DecidingPolicy, err = f.Partitions[i].Canary.newPolicy(&f.Partitions[i]); err != nil {
			return c, fmt.Errorf("partition %s: canary: %w", p.Name, err)
		}
	}
	return c, nil
}

// formatParams writes parameters as "a=1 b=2", in order of their names.
func formatParams(params map[string]any) string {
	parts := make([]string, 0, len(params))
	for _, k := range slices.Sorted(maps.Keys(params)) {
		parts = append(parts, fmt.Sprintf("%s=%v", k, params[k]))
	}
	return strings.Join(parts, " ")
}
