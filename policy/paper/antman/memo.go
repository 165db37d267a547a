package antman

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pack"
)

// memo is what is remembered from cycle to cycle. Lists are sorted by job.
type memo struct {
	Guaranteed []policy.JobID `json:"guaranteed,omitempty"` // jobs that run and are guaranteed
	Hurt       []policy.JobID `json:"hurt,omitempty"`       // of them, those that a neighbour slowed
	Steps      []seenSteps    `json:"steps,omitempty"`      // of those beside an opportunistic one
}

// seenSteps is how far a job was at a time.
type seenSteps struct {
	Job  policy.JobID `json:"job"`
	At   time.Time    `json:"at"`
	Done float64      `json:"done"`
}

func (m *memo) isHurt(id policy.JobID) bool {
	_, is := slices.BinarySearch(m.Hurt, id)
	return is
}

// stepsOf returns how far the job was; nil: that is not known.
func (m *memo) stepsOf(id policy.JobID) *seenSteps {
	i := slices.IndexFunc(m.Steps, func(s seenSteps) bool { return s.Job == id })
	if i < 0 {
		return nil
	}
	return &m.Steps[i]
}

// leastWatch is for how long a job is watched before its speed is believed.
const leastWatch = time.Minute

// watch looks at opportunistic jobs beside guaranteed ones. It notes which have to leave, as the
// guaranteed one is seen to be slower by the steps it reports, and how far those are that are watched on.
func (c *classes) watch(r *engine.Round) {
	c.leaves, c.hurt = make([]string, len(r.Entries)), map[policy.JobID]bool{}
	seen := map[policy.JobID]seenSteps{}
	for _, d := range pack.ListDevices(r).Current() {
		if host, guest := c.pairOn(d); host != nil {
			c.watchPair(r, host, guest, seen)
		}
	}
	for _, e := range r.Entries {
		if s, is := seen[e.ID]; is {
			c.steps = append(c.steps, s)
		}
	}
}

// pairOn returns the guaranteed and the opportunistic job of a GPU; nil where there are not these two.
func (c *classes) pairOn(d *pack.Device) (host, guest *engine.Entry) {
	if len(d.Jobs) != 2 {
		return nil, nil
	}
	host, guest = d.Jobs[0], d.Jobs[1]
	if c.isOpportunistic(host) {
		host, guest = guest, host
	}
	if c.isOpportunistic(host) || !c.isOpportunistic(guest) {
		return nil, nil
	}
	return host, guest
}

func (c *classes) watchPair(r *engine.Round, host, guest *engine.Entry, seen map[policy.JobID]seenSteps) {
	if host.Training == nil {
		return
	}
	was := c.was.stepsOf(host.ID)
	if was == nil || guest.Start.After(was.At) {
		seen[host.ID] = seenSteps{host.ID, r.Now, host.Training.StepsDone}
		return
	}
	lost, known := lostSpeed(r, host, was)
	if seen[host.ID] = *was; known {
		seen[host.ID] = seenSteps{host.ID, r.Now, host.Training.StepsDone}
	}
	if lost > c.Hurt {
		c.hurt[host.ID] = true
		c.leaves[guest.Index] = fmt.Sprintf("job %s, which is guaranteed the GPUs, is %.0f %% slower beside it", host.Label(), 100*lost)
	}
}

// lostSpeed returns how much of its speed alone a job lost since it was seen; known is false where that
// cannot be said yet.
func lostSpeed(r *engine.Round, host *engine.Entry, was *seenSteps) (lost float64, known bool) {
	rate, _ := host.Training.Rate(host.On.FirstType())
	seconds := r.Now.Sub(was.At).Seconds()
	if rate <= 0 || seconds < leastWatch.Seconds() {
		return 0, false
	}
	return 1 - (host.Training.StepsDone-was.Done)/(rate*seconds), true
}

// newMemo is what to remember of the plan.
func (c *classes) newMemo(plan *policy.Plan) policy.Memo {
	m := memo{Steps: c.steps}
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		if runs := d.Verb == policy.Start || d.Verb == policy.Keep; !runs || c.of[i] != guaranteed {
			continue
		}
		m.Guaranteed = append(m.Guaranteed, d.Job)
		if c.was.isHurt(d.Job) || c.hurt[d.Job] {
			m.Hurt = append(m.Hurt, d.Job)
		}
	}
	if m.Guaranteed == nil {
		return policy.Memo{}
	}
	return policy.Remember(m)
}
