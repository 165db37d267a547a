package engine

import (
	"errors"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// deviceFinder finds free devices, and remembers for which gangs there are none.
type deviceFinder struct {
	*Round
	placer        Placer
	guards        *turnGuards
	entryLine     []*Entry
	demandByType  map[string]int // see CountTypeDemand
	giveBackCount int            // how often devices were given back, from 1; see gangFacts.noRoomError
	retriesLeft   int            // of other nodes, after an objection, that are left
}

// findAndTake finds free devices that no guard objects to, and takes them.
func (f *deviceFinder) findAndTake(e *Entry) (policy.Alloc, error) {
	on, err := f.findUnlessFull(e)
	if err != nil {
		return nil, err
	}
	if objection := f.guards.findObjection(e, on); objection != nil {
		if on, err = f.findElsewhere(e, on, objection); err != nil {
			return nil, err
		}
	}
	return on, f.takeDevices(e, on)
}

// findElsewhere finds other devices than those that a guard objected to: on none of the
// nodes where it would have the blocked job, else on others than were found so far, up to
// nine times. The error is the last objection.
func (f *deviceFinder) findElsewhere(e *Entry, on policy.Alloc, objection error) (policy.Alloc, error) {
	if reserved := (*delayError)(nil); errors.As(objection, &reserved) && f.retriesLeft > 0 {
		f.retriesLeft--
		at := e.copyExcludingNodes(reserved.of.Alloc.Nodes())
		if other, err := f.findUnlessFull(at); err == nil && f.guards.findObjection(e, other) == nil {
			return other, nil
		}
	}
	for at := e; errors.Is(objection, ErrReservedNodes) && len(at.Ask.ExcludedNodes) <= len(e.Ask.ExcludedNodes)+8 && f.retriesLeft > 0; {
		f.retriesLeft--
		at = at.copyExcludingNodes(on.Nodes())
		var err error
		if on, err = f.findUnlessFull(at); err != nil {
			return nil, objection
		}
		if objection = f.guards.findObjection(e, on); objection == nil {
			return on, nil
		}
	}
	return nil, objection
}

// takeFreedDevices takes devices that running jobs gave back for the entry, if no guard
// objects.
func (f *deviceFinder) takeFreedDevices(e *Entry, on policy.Alloc) error {
	if err := f.guards.findObjection(e, on); err != nil {
		return err
	}
	if err := f.takeDevices(e, on); err != nil {
		return err
	}
	f.giveBackCount++
	return nil
}

func (f *deviceFinder) takeDevices(e *Entry, on policy.Alloc) error {
	a := e.GangAsk()
	return f.FreePool.Take(on, a.CPUs, a.MemMB)
}

// copyExcludingNodes returns a copy of the entry that excludes the nodes too.
func (e *Entry) copyExcludingNodes(nodes []string) *Entry {
	c, j := *e, *e.Job
	j.Ask.ExcludedNodes = append(slices.Clone(j.Ask.ExcludedNodes), nodes...)
	slices.Sort(j.Ask.ExcludedNodes)
	c.Job = &j
	return &c
}

// find finds free devices, as the Placer likes them.
func (f *deviceFinder) find(e *Entry) (policy.Alloc, error) {
	on, err := f.fitGang(e)
	if err != nil || f.placer == nil {
		return on, err
	}
	return f.placer.Place(f.Round, e)
}

// findLike finds a place of the same GPU type as another; nil: find would find none.
func (f *deviceFinder) findLike(e *Entry, on policy.Alloc) policy.Alloc {
	if !f.needsOnlyRoom(e) {
		if other, err := f.find(e); err == nil && other.FirstType() == on.FirstType() {
			return other
		}
		return nil
	}
	a := e.GangAsk()
	if mixed := slices.ContainsFunc(on, func(s policy.Slot) bool { return s.Type != on.FirstType() }); a.GPUs.Type == "" && !mixed {
		a.GPUs.Type = on.FirstType()
	}
	other, _ := pool.Fit(f.FreePool, e.Partition, a) // nil on errors
	return other
}

// needsOnlyRoom reports whether any room will do for the job: as long as one place that it has stays free, it has one.
func (f *deviceFinder) needsOnlyRoom(e *Entry) bool {
	p, ok := f.placer.(FallbackPlacer)
	return f.placer == nil || ok && p.TakesAnyRoom() && e.GangAsk().GPUs.Type != "" // else another type may come first
}

// findUnlessFull is find, unless that is known to be in vain.
func (f *deviceFinder) findUnlessFull(e *Entry) (policy.Alloc, error) {
	if err := f.knownNoRoomError(e); err != nil {
		return nil, err
	}
	on, err := f.fitGang(e)
	if err != nil {
		g := f.gangFacts(e)
		g.noRoomError, g.noRoomGiveBackCount = err, f.giveBackCount
		return nil, err
	}
	if f.placer == nil {
		return on, nil
	}
	return f.placer.Place(f.Round, e)
}

// findOwnNodesFirst finds devices for a running job on its own nodes, else as find.
func (f *deviceFinder) findOwnNodesFirst(e *Entry) (policy.Alloc, error) {
	if e.Ask.GPUs.Type != "" {
		rooms := f.FreePool.ListRooms(e.Partition, e.GangAsk())
		rooms = slices.DeleteFunc(rooms, func(r pool.Room) bool { return e.On.CountOn(r.NodeName) == 0 })
		if on, err := pool.FitInRooms(f.FreePool, e.GangAsk(), rooms); err == nil {
			return on, nil
		}
	}
	return f.find(e)
}

func (f *deviceFinder) fitGang(e *Entry) (policy.Alloc, error) {
	e.gpuTypesToTry = f.orderGPUTypes(e)
	return pool.Fit(f.FreePool, e.Partition, e.GangAsk())
}

// knownNoRoomError says why the gang is known to have no room; nil where that was not tried
// since devices were last given back.
func (f *deviceFinder) knownNoRoomError(e *Entry) error {
	if g := f.gangFacts(e); g.noRoomGiveBackCount == f.giveBackCount {
		return g.noRoomError
	}
	return nil
}

// hasRoom reports whether the job has room on whatever GPU type it asks.
func (f *deviceFinder) hasRoom(e *Entry) bool {
	if leased := e.Ask.GPUs.Type == "" && e.Grant.HasLease && e.Grant.GPUType != ""; !leased && f.knownNoRoomError(e) != nil {
		return false
	}
	return f.FreePool.Fits(e.Partition, e.Job.AskWithLimit().Resized(e.WantedDeviceCount))
}
