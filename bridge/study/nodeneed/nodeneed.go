// Package nodeneed simulates a scenario to see how many nodes its jobs needed over time, for package
// power, which says which could have been off.
package nodeneed

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/exact"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/power"
)

// Past is what the nodes of each group (power.GroupOf) were needed for.
type Past struct {
	LooksByGroup map[string][]power.Look
	NodesByGroup map[string]int
}

// Simulate runs the scenario under Slurm's own order with backfill, carried out at once, and looks once a step. begin is
// the calendar time of its first second: hours and weekdays matter.
func Simulate(s *study.Scenario, begin time.Time, step time.Duration) (*Past, error) {
	system, err := catalogue.FindSystem("multifactor")
	if err != nil {
		return nil, err
	}
	p, err := system.New(nil)
	if err != nil {
		return nil, err
	}
	m := newMeter(s, begin, step)
	_, err = exact.Run(exact.Config{Policy: p, Nodes: s.Nodes, Jobs: s.Jobs, SpeedTables: s.SpeedTables, Accounts: s.Accounts, KeepsNodeShapes: true, OmitsReasons: true,
		Clock: exact.NewEventClock(time.Minute, step, time.Minute), WatchDecision: m.watch})
	if err != nil {
		return nil, fmt.Errorf("simulating %s to see which nodes it needs: %w", s.Name, err)
	}
	return &m.Past, nil
}

// Saving is what the rules would have saved of a group.
type Saving struct {
	Group string `json:"group"`
	Nodes int    `json:"nodes"`
	power.Saving
}

// Savings tries the rules on the past, group by group. It fails where that is shorter than two days.
func (p *Past) Savings(r power.Rules) ([]Saving, error) {
	var all []Saving
	for _, name := range slices.Sorted(maps.Keys(p.LooksByGroup)) {
		s, err := r.Replay(p.LooksByGroup[name], p.NodesByGroup[name])
		if err != nil {
			return nil, err
		}
		all = append(all, Saving{name, p.NodesByGroup[name], s})
	}
	return all, nil
}

// Rules and Advice are those of package power.
type (
	Rules  = power.Rules
	Advice = power.Advice
)

// DefaultRules are those of package power.
func DefaultRules() Rules { return power.DefaultRules() }

// Advise says which nodes of the snapshot could be off. Groups of which less than two days are known are left out.
func (p *Past) Advise(r Rules, s *policy.Snapshot) []Advice { return r.Advise(s, p.LooksByGroup) }
