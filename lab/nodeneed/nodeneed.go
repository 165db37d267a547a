// Package nodeneed simulates a scenario to see how many nodes its jobs needed over time, for package
// power, which says which could have been off.
package nodeneed

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/power"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
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

// meter notes the most nodes that were needed in each step.
type meter struct {
	Past
	shift   time.Duration // from the calendar of the simulation
	step    time.Duration
	last    float64        // seconds, the last arrival: then the cluster runs empty, and nothing is noted
	end     time.Time      // of the step under way, in that calendar
	needed  map[string]int // by the last decision
	most    map[string]int // in this step
	starts  map[string]int // in this step
	groupOf map[string]string
}

func newMeter(s *study.Scenario, begin time.Time, step time.Duration) *meter {
	m := &meter{Past: Past{map[string][]power.Look{}, map[string]int{}}, shift: begin.Sub(workload.CalendarTimeAt(0)), step: step, end: workload.CalendarTimeAt(0).Add(step),
		needed: map[string]int{}, most: map[string]int{}, starts: map[string]int{}, groupOf: map[string]string{}}
	for i := range s.Nodes {
		name := power.GroupOf(&s.Nodes[i])
		m.groupOf[s.Nodes[i].Name] = name
		m.NodesByGroup[name]++
	}
	for i := range s.Jobs {
		m.last = max(m.last, s.Jobs[i].Arrive)
	}
	return m
}

// watch sees a decision: jobs that it starts count as asking still.
func (m *meter) watch(s *policy.Snapshot, plan *policy.Plan) {
	for !s.Now.Before(m.end) && !m.end.After(workload.CalendarTimeAt(m.last)) {
		m.endStep()
	}
	for name, n := range power.NeedByGroup(s) {
		m.needed[name] = n.Needed()
		m.most[name] = max(m.most[name], n.Needed())
	}
	for i := range plan.Decisions {
		if d := &plan.Decisions[i]; d.Verb == policy.Start && len(d.On) > 0 {
			m.starts[m.groupOf[d.On[0].Node]]++
		}
	}
}

// endStep notes the step, and begins the next with what is needed now.
func (m *meter) endStep() {
	for name := range m.NodesByGroup {
		m.LooksByGroup[name] = append(m.LooksByGroup[name], power.Look{At: m.end.Add(m.shift), Needed: m.most[name], Starts: m.starts[name]})
		m.most[name], m.starts[name] = m.needed[name], 0
	}
	m.end = m.end.Add(m.step)
}
