package nodeneed

import (
	"time"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/exact"
	"fairbridge/policy"
	"fairbridge/policy/power"
)

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
	m := &meter{Past: Past{map[string][]power.Look{}, map[string]int{}}, shift: begin.Sub(exact.CalendarTimeAt(0)), step: step, end: exact.CalendarTimeAt(0).Add(step),
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
	for !s.Now.Before(m.end) && !m.end.After(exact.CalendarTimeAt(m.last)) {
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
