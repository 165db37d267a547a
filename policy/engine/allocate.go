package engine

import (
	"fairbridge/policy"
)

// An Allocator answers Order, Size and Lease together: it says at once which job
// is served first, on how many devices of which type, and which holds a lease of
// the coming round. It returns one turn for each entry of the round, first served
// first; like the line of an Orderer, it must be total.
//
// When it is asked, the WantedDevices of every entry is what the job holds, or asks when it
// holds nothing, and Unstoppable is known.
type Allocator interface {
	Allocate(*Round) ([]Turn, error)
}

// Turn is what an Allocator says of one job.
type Turn struct {
	Entry   *Entry
	Devices int   // it should run on; 0: none in this round
	Grant   Grant // of a lease; the zero Grant is none
	// Alloc are the very devices it should run on, for place.Allocated; a running job
	// with a lease elsewhere moves there. nil: the Placer chooses.
	Alloc policy.Alloc
	// Beside is the job on whose devices it runs where it finds none of its own and
	// the Packer agrees; 0: none.
	Beside policy.JobID
	Note   string // why it stands where it stands, for Decision.Why
}

// TurnWithoutLease returns that of a job without a lease, on the devices it holds or asks, with
// its note.
func (e *Entry) TurnWithoutLease() Turn {
	return Turn{Entry: e, Devices: e.DeviceCount(), Note: e.Note}
}

// askAllocator asks the Allocator, writes its answers into the entries and returns
// the line.
func (p *Pipeline) askAllocator(r *Round) ([]*Entry, error) {
	for _, e := range r.Entries {
		e.WantedDevices = e.DeviceCount()
		e.Unstoppable = e.HoldsGPUs() && !r.isStoppable(p.Rules, e)
	}
	turns, err := p.Allocate.Allocate(r)
	if err != nil {
		return nil, err
	}
	line := make([]*Entry, len(turns))
	for i, t := range turns {
		line[i] = t.Entry
	}
	if err := r.checkLine(line); err != nil {
		return nil, err
	}
	for i, e := range line {
		t := &turns[i]
		if err := e.checkAccepts(t.Devices); err != nil {
			return nil, err
		}
		e.WantedDevices, e.WantedAlloc, e.Beside, e.Note = t.Devices, t.Alloc, t.Beside, t.Note
		r.setGrant(e, t.Grant)
	}
	return line, nil
}
