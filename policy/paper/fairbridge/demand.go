package fairbridge

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/share"
)

// contention is how many GPUs each person's jobs want, hold or ask for, for every GPU that is
// the person's part, on every GPU type. A part is by weight, of accounts and of the
// users within them, among those whose jobs can run on that type. So it is the same
// whether work comes as one wide job or as several, and jobs that ask for another type do
// not count.
type contention struct {
	types []typeDemand
}

// typeDemand is one GPU type with those who want it.
type typeDemand struct {
	gpuType string
	isWhole bool
	devices float64
	persons []share.Person // in order of their first jobs
	wanted  map[share.Person]float64
	due     map[share.Person]float64 // devices that are the person's part
}

func newContention(s *policy.Snapshot) *contention {
	c := &contention{}
	for i := range s.Nodes {
		for _, d := range s.Nodes[i].GPUs {
			c.addDevices(d)
		}
	}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.HoldsGPUs() || j.CanStart(s.Now) {
			c.addJob(j)
		}
	}
	for i := range c.types {
		c.types[i].divide(s)
	}
	return c
}

func (c *contention) addDevices(d policy.NodeDevices) {
	for i := range c.types {
		if t := &c.types[i]; t.gpuType == d.Type {
			t.devices += float64(d.Count - d.SickCount)
			return
		}
	}
	c.types = append(c.types, typeDemand{gpuType: d.Type, isWhole: d.IsWholeGPU(), devices: float64(d.Count - d.SickCount), wanted: map[share.Person]float64{}})
}

// addJob counts what the job wants: all of it on its type, or of each type it may run on a
// part, as large as the type is among them.
func (c *contention) addJob(j *policy.Job) {
	all := c.devicesFor(j)
	if all <= 0 {
		return
	}
	p, gpus := share.Person{Account: j.Account, User: j.User}, float64(j.Ask.GPUs.Count*j.TaskCount())
	for i := range c.types {
		if t := &c.types[i]; t.suits(j.Ask.GPUs.Type) {
			if t.wanted[p] == 0 {
				t.persons = append(t.persons, p)
			}
			t.wanted[p] += gpus * t.devices / all
		}
	}
}

// devicesFor counts the devices of all types the job may run on.
func (c *contention) devicesFor(j *policy.Job) (n float64) {
	for i := range c.types {
		if c.types[i].suits(j.Ask.GPUs.Type) {
			n += c.types[i].devices
		}
	}
	return n
}

// suits reports whether jobs that ask for a type, "" for any, may run on these devices.
func (t *typeDemand) suits(asked string) bool {
	if asked == "" {
		return t.isWhole
	}
	return t.gpuType == asked
}

func (t *typeDemand) divide(s *policy.Snapshot) {
	t.due = share.PersonWeights(s, t.persons)
	for p := range t.due {
		t.due[p] *= t.devices
	}
}

// of returns the contention the job meets: on the type it asks for, or on that of those it
// may run on where it is least; 0 where it can run on none.
func (c *contention) of(j *policy.Job) float64 {
	p, least := share.Person{Account: j.Account, User: j.User}, math.Inf(1)
	for i := range c.types {
		if t := &c.types[i]; t.suits(j.Ask.GPUs.Type) && t.due[p] > 0 {
			least = min(least, t.wanted[p]/t.due[p])
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}
