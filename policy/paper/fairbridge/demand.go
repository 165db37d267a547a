package fairbridge

import (
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/predict"
	"fairbridge/policy/share"
)

// contention is how many GPUs each person's jobs want, hold or ask for, for every GPU that is
// the person's part, on every GPU type. A part is by weight, of accounts and of the
// users within them, among those whose jobs can run on that type. So it is the same
// whether work comes as one wide job or as several, and jobs that ask for another type do
// not count.
type contention struct {
	snapshot *policy.Snapshot
	owners   owners
	types    []typeDemand
}

// typeDemand is one GPU type with those who want it.
type typeDemand struct {
	gpuType string
	isWhole bool
	devices float64
	owners  []int32   // in order of their first jobs
	wanted  []float64 // by owner
	due     []float64 // devices that are the owner's part
}

func newContention(s *policy.Snapshot, owners owners) *contention {
	c := &contention{snapshot: s, owners: owners}
	for i := range s.Nodes {
		for k := range s.Nodes[i].GPUs {
			c.addDevices(&s.Nodes[i].GPUs[k])
		}
	}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.HoldsGPUs() || j.CanStart(s.Now) {
			c.addJob(j, owners.byJob[i])
		}
	}
	for i := range c.types {
		c.divide(&c.types[i])
	}
	return c
}

func (c *contention) addDevices(d *policy.NodeDevices) {
	for i := range c.types {
		if t := &c.types[i]; t.gpuType == d.Type {
			t.devices += float64(d.Count - d.SickCount)
			return
		}
	}
	c.types = append(c.types, typeDemand{gpuType: d.Type, isWhole: d.IsWholeGPU(), devices: float64(d.Count - d.SickCount),
		wanted: make([]float64, len(c.owners.persons)), due: make([]float64, len(c.owners.persons))})
}

// addJob counts what the job wants: all of it on its type, or of each type it may run on a
// part, as large as the type is among them.
func (c *contention) addJob(j *policy.Job, owner int32) {
	all := c.devicesFor(j)
	if all <= 0 {
		return
	}
	gpus := float64(j.Ask.GPUs.Count * j.TaskCount())
	for i := range c.types {
		if t := &c.types[i]; t.suits(j.Ask.GPUs.Type) {
			if t.wanted[owner] == 0 {
				t.owners = append(t.owners, owner)
			}
			t.wanted[owner] += gpus * t.devices / all
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

// divide says what of the devices is whose part.
func (c *contention) divide(t *typeDemand) {
	persons := make([]share.Person, len(t.owners))
	for i, owner := range t.owners {
		persons[i] = c.owners.persons[owner]
	}
	for i, weight := range share.PersonWeights(c.snapshot, persons) {
		t.due[t.owners[i]] = weight * t.devices
	}
}

// of returns the contention the job meets: on the type it asks for, or on that of those it
// may run on where it is least; 0 where it can run on none.
func (c *contention) of(j *policy.Job, owner int32) float64 {
	least := math.Inf(1)
	for i := range c.types {
		if t := &c.types[i]; t.suits(j.Ask.GPUs.Type) && t.due[owner] > 0 {
			least = min(least, t.wanted[owner]/t.due[owner])
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// owners are the persons whose jobs are in a snapshot, and which of them each job is of.
type owners struct {
	persons []share.Person
	byJob   []int32
}

// findOwners names the owners of the jobs. Those of a snapshot before, in which rows says where each job was, are
// known already in most cases.
func findOwners(s *policy.Snapshot, before owners, rows []int) owners {
	o := owners{make([]share.Person, 0, len(before.persons)+8), make([]int32, len(s.Jobs))}
	now, isFound := make([]int32, len(before.persons)), make([]bool, len(before.persons))
	for i := range s.Jobs {
		p, was := share.Person{Account: s.Jobs[i].Account, User: s.Jobs[i].User}, int32(-1)
		if row := rows[i]; row >= 0 && row < len(before.byJob) && before.persons[before.byJob[row]] == p {
			was = before.byJob[row]
		}
		if was >= 0 && isFound[was] {
			o.byJob[i] = now[was]
			continue
		}
		at := slices.Index(o.persons, p)
		if at < 0 {
			at, o.persons = len(o.persons), append(o.persons, p)
		}
		if o.byJob[i] = int32(at); was >= 0 {
			now[was], isFound[was] = int32(at), true
		}
	}
	return o
}

// contentionPeaks remembers, per job, the worst contention it met: how many times longer
// than alone it would take on the GPUs that are its user's part. The peak, not the
// present: what a job is due must not shrink when others leave.
type contentionPeaks struct {
	Jobs []policy.JobID `json:"jobs"` // sorted
	Peak []float64      `json:"peak"` // at least 1
	predict.ReportMemory
	owners owners
}

func recallContentionPeaks(s *policy.Snapshot) (*contentionPeaks, error) {
	p, err := policy.Recall[*contentionPeaks](s.Memo)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return &contentionPeaks{}, nil
	case len(p.ReportMemory.Jobs) != len(p.Looks) || !slices.IsSorted(p.ReportMemory.Jobs):
		return nil, fmt.Errorf("reading what was remembered: reports of %d jobs, %d of them known",
			len(p.ReportMemory.Jobs), len(p.Looks))
	case len(p.Jobs) != len(p.Peak) || !slices.IsSorted(p.Jobs):
		return nil, fmt.Errorf("reading what was remembered: %d jobs, %d values, sorted %t",
			len(p.Jobs), len(p.Peak), slices.IsSorted(p.Jobs))
	}
	return p, nil
}

// update raises the peaks to the present contention, and forgets jobs that left.
func (p *contentionPeaks) update(s *policy.Snapshot) *contentionPeaks {
	rows := s.AppendJobIndexes(make([]int, 0, 256), p.Jobs)
	n := &contentionPeaks{Jobs: make([]policy.JobID, len(s.Jobs)), Peak: make([]float64, len(s.Jobs))}
	n.owners = findOwners(s, p.owners, rows)
	now := newContention(s, n.owners)
	for i, row := range rows {
		j := &s.Jobs[i]
		n.Jobs[i], n.Peak[i] = j.ID, max(1, now.of(j, n.owners.byJob[i]))
		if row >= 0 {
			n.Peak[i] = max(n.Peak[i], p.Peak[row])
		}
	}
	return n
}
