package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// spoil makes a view show less, or another time, than is true.
func (c *wire) spoil(v *slurm.View) {
	is := func(k Kind) bool { return c.weather.is(k, c.cycle) }
	v.Jobs = slices.DeleteFunc(v.Jobs, func(j slurm.Job) bool { return is(EmptyList) || c.hidden(&j, false) })
	if n := uint64(len(v.Jobs)); is(OneMissing) && n > 0 {
		i := int(c.weather.roll[OneMissing] % n)
		v.Jobs = slices.Delete(v.Jobs, i, i+1)
	}
	if n := len(v.Nodes); is(NodesCut) {
		v.Nodes = v.Nodes[:n-n/2]
	}
	if is(NoPartitions) {
		v.Partitions = nil
	}
	c.unreserved(v)
	v.At = v.At.Add(c.weather.skew(ClockAhead) + c.weather.skew(ClockBehind))
}

// meet notes which jobs the daemon has seen.
func (c *wire) meet(v *slurm.View) {
	c.sound = c.sound || c.unwell == ""
	for i := range v.Jobs {
		c.known[v.Jobs[i].ID] = true
	}
	c.hosts = max(c.hosts, len(v.Nodes))
}

// wrong says what a daemon that has seen the truth before, or has a clock, must
// notice about a view.
func (c *wire) wrong(v *slurm.View) string {
	off := v.At.Sub(c.truth.At) - c.weather.skew(OurClock)
	was, gone, live := c.truth, 0, 0
	for i := range was.Jobs {
		j := &was.Jobs[i]
		if j.Done() || !c.known[j.ID] {
			continue
		}
		if live++; v.Job(j.ID) == nil {
			gone++
		}
	}
	switch {
	case off.Abs() > c.Gate.Skew:
		return fmt.Sprintf("a clock that is %v off", off)
	case !c.sound:
	case gone > c.Gate.VanishFloor && float64(gone)*100 > c.Gate.VanishPercent*float64(live):
		return fmt.Sprintf("%d of %d jobs", live-gone, live)
	case float64(c.hosts-len(v.Nodes))*100 > c.Gate.ShrinkPercent*float64(c.hosts):
		return fmt.Sprintf("%d of %d nodes", len(v.Nodes), c.hosts)
	}
	return ""
}

// fullEvery is the time between full lists where polls are lazy.
const fullEvery = 5 * time.Minute

// lazily shows jobs as they were last read, unless their state moved or we wrote to
// them, as the client does that reads jobs/state between full lists: it shows no
// edits.
func (c *wire) lazily(v *slurm.View) {
	marks := make(map[int64]string, len(v.Jobs))
	for i := range v.Jobs {
		marks[v.Jobs[i].ID] = v.Jobs[i].State + strings.Join(v.Jobs[i].Flags, "+")
	}
	full := !c.Lazy || c.model == nil || v.At.Sub(c.fullAt).Abs() >= fullEvery
	v.Full = full
	if full {
		c.model, c.fullAt = map[int64]slurm.Job{}, v.At
	}
	next := make(map[int64]slurm.Job, len(v.Jobs))
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if old, have := c.model[j.ID]; have && c.marks[j.ID] == marks[j.ID] && c.touch[j.ID] == 0 {
			*j = old
		}
		next[j.ID] = *j
		if c.touch[j.ID]--; c.touch[j.ID] <= 0 {
			delete(c.touch, j.ID)
		}
	}
	if !full {
		c.unlisted(v, next)
	}
	c.model, c.marks = next, marks
}

// unlisted asks for jobs that are no longer listed one by one: only that proves
// that they are gone.
func (c *wire) unlisted(v *slurm.View, next map[int64]slurm.Job) {
	for id, old := range c.model {
		if _, listed := next[id]; listed || old.Done() {
			continue
		}
		if j, err := c.w.Job(id); err == nil && !c.hidden(&j, true) {
			next[id] = c.dressed(j)
			v.Jobs = append(v.Jobs, next[id])
		}
	}
	slices.SortFunc(v.Jobs, func(a, b slurm.Job) int { return int(a.ID - b.ID) })
}
