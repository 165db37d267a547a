package engine

import (
	"cmp"
	"errors"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// finder finds free devices, and remembers for which gangs there are none.
type finder struct {
	*Round
	placer        Placer
	guards        *guards
	line          []*Entry
	typeDemand    map[string]int // see countTypeDemand
	giveBackCount int            // how often devices were given back, from 1; see gangFacts.noRoomError
	retriesLeft   int            // of other nodes, after an objection, that are left
}

// findAndTake finds free devices that no guard objects to, and takes them.
func (f *finder) findAndTake(e *Entry) (policy.Alloc, error) {
	var objection error
	at := e
	for {
		on, err := f.findUnlessFull(at)
		if err != nil {
			return nil, cmp.Or(objection, err)
		}
		if objection = f.guards.findObjection(e, on); objection == nil {
			return on, f.takeFor(e, on)
		}
		if !errors.Is(objection, ErrReservedNodes) || len(at.Ask.ExcludedNodes) > len(e.Ask.ExcludedNodes)+8 || f.retriesLeft <= 0 {
			return nil, objection
		}
		f.retriesLeft--
		at = at.excluding(on.Nodes())
	}
}

// takeFreed takes devices that running jobs gave back for the entry, if no guard objects.
func (f *finder) takeFreed(e *Entry, on policy.Alloc) error {
	if err := f.guards.findObjection(e, on); err != nil {
		return err
	}
	if err := f.takeFor(e, on); err != nil {
		return err
	}
	f.giveBackCount++
	return nil
}

func (f *finder) takeFor(e *Entry, on policy.Alloc) error {
	a := e.Gang()
	return f.FreePool.Take(on, a.CPUs, a.MemMB)
}

// excluding returns a copy of the entry that excludes the nodes too.
func (e *Entry) excluding(nodes []string) *Entry {
	c, j := *e, *e.Job
	j.Ask.ExcludedNodes = append(slices.Clone(j.Ask.ExcludedNodes), nodes...)
	slices.Sort(j.Ask.ExcludedNodes)
	c.Job = &j
	return &c
}

// find finds free devices, as the Placer likes them.
func (f *finder) find(e *Entry) (policy.Alloc, error) {
	on, err := f.fit(e)
	if err != nil || f.placer == nil {
		return on, err
	}
	return f.placer.Place(f.Round, e)
}

// findUnlessFull is find, unless that is known to be in vain.
func (f *finder) findUnlessFull(e *Entry) (policy.Alloc, error) {
	if err := f.whyFull(e); err != nil {
		return nil, err
	}
	on, err := f.fit(e)
	if err != nil {
		g := f.gangFacts(e)
		g.noRoomError, g.noRoomGeneration = err, f.giveBackCount
		return nil, err
	}
	if f.placer == nil {
		return on, nil
	}
	return f.placer.Place(f.Round, e)
}

// findNear finds devices for a running job on its own nodes, else as find.
func (f *finder) findNear(e *Entry) (policy.Alloc, error) {
	if e.Ask.GPUs.Type != "" {
		rooms := f.FreePool.ListRooms(e.Partition, e.Gang())
		rooms = slices.DeleteFunc(rooms, func(r pool.Room) bool { return e.On.CountOn(r.Node) == 0 })
		if on, err := pool.FitRooms(f.FreePool, e.Gang(), rooms); err == nil {
			return on, nil
		}
	}
	return f.find(e)
}

func (f *finder) fit(e *Entry) (policy.Alloc, error) {
	e.typesToTry = f.orderTypes(e)
	return pool.Fit(f.FreePool, e.Partition, e.Gang())
}

// whyFull says why the gang is known to have no room; nil where that was not tried
// since devices were last given back.
func (f *finder) whyFull(e *Entry) error {
	if g := f.gangFacts(e); g.noRoomGeneration == f.giveBackCount {
		return g.noRoomError
	}
	return nil
}

// hasRoom reports whether the job has room on whatever GPU type it asks.
func (f *finder) hasRoom(e *Entry) bool {
	if leased := e.Ask.GPUs.Type == "" && e.Grant.HasLease && e.Grant.Type != ""; !leased && f.whyFull(e) != nil {
		return false
	}
	return f.FreePool.Fits(e.Partition, e.Job.Gang().Resized(e.WantedDevices))
}
