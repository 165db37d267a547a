package slurm

import (
	"cmp"
	"slices"
	"time"
)

// View is Slurm at one moment: everything a cycle needs, as values.
type View struct {
	Cluster    string    // Slurm's cluster name, "" on releases that do not say
	Release    string    // "22.05.8", "26.05.5"
	API        string    // "v0.0.45"
	At         time.Time // the server's clock, read before anything else
	Read       time.Time // our clock when At came in, zero when unknown
	Started    time.Time // when slurmctld started, zero when unknown; a change means a restart
	SiteFactor bool      // site_factor can be written
	Full       bool      // every record was read from a full list in this poll
	Jobs       []Job     // sorted by ID; finished ones included while Slurm lists them
	Nodes      []Node    // sorted by Name
	Partitions []Partition
	Warnings   []string // Slurm's own, each a hint that our request was off
}

// Node returns the record with the name, or nil.
func (v *View) Node(name string) *Node {
	i, ok := slices.BinarySearchFunc(v.Nodes, name, func(n Node, name string) int { return cmp.Compare(n.Name, name) })
	if !ok {
		return nil
	}
	return &v.Nodes[i]
}

// Job returns the record with the id, or nil.
func (v *View) Job(id int64) *Job {
	lo, hi := 0, len(v.Jobs)
	for lo < hi {
		mid := (lo + hi) / 2
		if v.Jobs[mid].ID < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(v.Jobs) && v.Jobs[lo].ID == id {
		return &v.Jobs[lo]
	}
	return nil
}
