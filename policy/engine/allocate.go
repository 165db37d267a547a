// Package engine makes plans out of the answers of stages.
//
// A Pipeline asks each of its stages one question about a Round, puts the jobs in
// line, and walks the line once, first to last. What every stage may look at is a
// Round with an Entry for each job. The stages themselves are in the packages
// beside this one (order, share, backfill, preempt, …) and in package paper.
package engine

import (
	"fairbridge/policy"
)

// An Allocator answers Order, Size and Lease together: it says at once which job
// is served first, on how many devices of which type, and which holds a lease of
// the coming round. It returns one assignment for each entry of the round, first served
// first; like the line of an Orderer, it must be total.
//
// When it is asked, the WantedDeviceCount of every entry is what the job holds, or asks when it
// holds nothing, and IsUnstoppable is known.
type Allocator interface {
	Allocate(*Round) ([]Assignment, error)
}

// Assignment is what an Allocator says of one job.
type Assignment struct {
	Entry       *Entry
	DeviceCount int   // it should run on; 0: none in this round
	Grant       Grant // of a lease; the zero Grant is none
	// Alloc are the very devices it should run on, for place.OnAssignedDevices; a running job
	// with a lease elsewhere moves there. nil: the Placer chooses.
	Alloc policy.Alloc
	// Amounts are the cores and memory that it should run with, all its nodes together; a running job with a
	// lease restarts for others than it holds, be it where it is, where Alloc says so. 0: what it asks.
	Amounts policy.Amounts
	// BesideJob is the job on whose devices it runs where it finds none of its own and
	// the Packer agrees; 0: none.
	BesideJob policy.JobID
	Note      string // why it stands where it stands, for Decision.Why
}

// AssignmentWithoutLease returns that of a job without a lease, on the devices it
// holds or asks, with its note.
func (e *Entry) AssignmentWithoutLease() Assignment {
	return Assignment{Entry: e, DeviceCount: e.DeviceCount(), Note: e.Note}
}

// askAllocator asks the Allocator, writes its answers into the entries and returns
// the line.
func (p *Pipeline) askAllocator(r *Round) ([]*Entry, error) {
	for _, e := range r.Entries {
		e.WantedDeviceCount = e.DeviceCount()
		e.IsUnstoppable = e.HoldsGPUs() && !r.isStoppable(p.Rules, e)
	}
	assignments, err := p.Allocate.Allocate(r)
	if err != nil {
		return nil, err
	}
	line := make([]*Entry, len(assignments))
	for i, t := range assignments {
		line[i] = t.Entry
	}
	if err := r.checkLine(line); err != nil {
		return nil, err
	}
	for i, e := range line {
		t := &assignments[i]
		if err := e.checkDeviceCount(t.DeviceCount); err != nil {
			return nil, err
		}
		e.WantedDeviceCount, e.WantedAlloc, e.WantedAmounts, e.BesideJob, e.Note = t.DeviceCount, t.Alloc, t.Amounts, t.BesideJob, t.Note
		r.setGrant(e, t.Grant)
	}
	return line, nil
}
