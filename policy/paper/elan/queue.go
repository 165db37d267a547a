package elan

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/sizing"
)

// maxFruitlessShrinks bounds the searches of a round for jobs to shrink that find too few.
const maxFruitlessShrinks = 16

// elasticQueue admits jobs in order of arrival and chooses all sizes.
type elasticQueue struct{ *Policy }

// Allocate implements engine.Allocator.
func (q elasticQueue) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line, err := order.ByArrival{}.Order(r)
	if err != nil {
		return nil, err
	}
	d := sizing.NewDraft(r)
	a := admission{Round: r, draft: d, mayPass: q.Backfill == "easy", searchesLeft: maxFruitlessShrinks, losses: map[sizeOf]float64{}}
	a.admit(line)
	sizing.Growth{Gain: q.gain(d), Next: q.next}.Run(d, q.mayGrow(&a))
	if !d.Holds(line) { // the engine would find other places: better shrink no job
		a = admission{Round: r, draft: d, mayPass: a.mayPass, losses: a.losses}
		a.admit(line)
	}
	if !r.OmitReasons {
		a.explain(line)
	}
	assigned := d.Assignments(line)
	d.Close()
	return assigned, nil
}

// mayGrow are the jobs that devices that are left over may go to. One that grew must still be
// able to shrink.
func (q elasticQueue) mayGrow(a *admission) []*engine.Entry {
	return slices.DeleteFunc(a.growing, func(e *engine.Entry) bool {
		return e.HoldsGPUs() && a.draft.Size(e) >= e.On.Count() && q.MaxStops > 0 && e.StopCount+2 > q.MaxStops
	})
}

// gain is the speed that each device more gives a job, relative to its speed on what it asks.
// A running job that would not win back the time of its restarts gains nothing.
func (q elasticQueue) gain(d *sizing.Draft) func(*engine.Entry, int) float64 {
	return func(e *engine.Entry, devices int) float64 {
		has := d.Size(e)
		now, then := sizing.Speed(e, has), sizing.Speed(e, devices)
		if e.HoldsGPUs() && devices > e.On.Count() && !q.paysBack(e, devices, then) {
			return 0
		}
		return (then - now) / float64(devices-has)
	}
}

// paysBack reports whether a running job saves enough time at another speed.
func (q elasticQueue) paysBack(e *engine.Entry, devices int, speed float64) bool {
	saved := math.Inf(1)
	if left := e.Estimate().TimeLeft.Seconds(); left > 0 {
		saved = left/sizing.Speed(e, e.On.Count()) - left/speed
	}
	return sizing.RestartRule{MinGain: q.PayBack, MinStep: q.Step}.IsWorthGrowing(e, devices, saved)
}

// next is the next larger size. A running job that was not shrunk grows by a step worth its
// restart at first.
func (q elasticQueue) next(e *engine.Entry, devices int) int {
	if e.HoldsGPUs() && devices == e.On.Count() {
		return max(int(math.Ceil(q.Step*float64(devices))), devices+1)
	}
	return devices + 1
}

// admission goes through the queue of one round.
type admission struct {
	*engine.Round
	draft        *sizing.Draft
	mayPass      bool // others may pass a blocked job that do not delay it
	searchesLeft int
	shrinkable   []*engine.Entry // that run
	growing      []*engine.Entry // that may get what is left over
	blocked      []blockedTurn
	shrunk       []shrunkJob // and not restored
	losses       map[sizeOf]float64
}

// blockedTurn is the first job of a partition and GPU type that finds no place.
type blockedTurn struct {
	*engine.Entry
	checkPass func(*engine.Entry, policy.Alloc) error
}

func (a *admission) admit(line []*engine.Entry) {
	for _, e := range line {
		switch {
		case e.HoldsGPUs():
			if sizing.MayResize(e) {
				a.shrinkable, a.growing = append(a.shrinkable, e), append(a.growing, e)
			}
		case a.MayRun(e) && !a.turnedAway(e):
			a.admitNext(e)
		}
	}
}

// turnedAway reports whether the job may not pass one that is blocked, whatever is free, or can
// never start, and so keeps no other from passing.
func (a *admission) turnedAway(e *engine.Entry) bool {
	if !a.mayPass && slices.ContainsFunc(a.blocked, func(b blockedTurn) bool { return b.competesWith(e) }) {
		return true
	}
	wanted := e.WantedDeviceCount
	e.WantedDeviceCount = sizing.Least(e)
	err := a.CheckEverFits(e)
	e.WantedDeviceCount = wanted
	return err != nil
}

// competesWith reports whether both queue for the same devices.
func (b blockedTurn) competesWith(e *engine.Entry) bool {
	mine, other := b.Ask.GPUs.Type, e.Ask.GPUs.Type
	return b.Partition == e.Partition && (mine == other || mine == "" || other == "")
}

// admitNext gives the job its least size, on what is free or on what others can spare.
func (a *admission) admitNext(e *engine.Entry) {
	least := sizing.Least(e)
	if !a.draft.TrySize(e, least, a.objection) && !a.shrinkFor(e, least) {
		a.block(e, least)
		return
	}
	if sizing.HasRange(e) && len(a.blocked) == 0 {
		a.growing = append(a.growing, e)
	}
}

// block lets the job wait, and protects its turn.
func (a *admission) block(e *engine.Entry, least int) {
	if slices.ContainsFunc(a.blocked, func(b blockedTurn) bool { return b.Partition == e.Partition && b.Ask.GPUs.Type == e.Ask.GPUs.Type }) {
		return
	}
	turn := blockedTurn{Entry: e}
	if a.mayPass {
		e.WantedDeviceCount = least // as it will be placed
		turn.checkPass = backfill.EASY{}.NewPassCheck(a.Round, e)
	}
	a.blocked = append(a.blocked, turn)
}

// objection says why a job may not have devices for the sake of one that is blocked.
func (a *admission) objection(e *engine.Entry, on policy.Alloc) error {
	for _, b := range a.blocked {
		if b.checkPass == nil {
			continue
		}
		if err := b.checkPass(e, on); err != nil {
			return err
		}
	}
	return nil
}

// shrinkFor shrinks running jobs until the job fits, the one with most above its least size
// first, and lets those run on that it did not take. It reports whether the job then has a
// place; none is shrunk otherwise.
func (a *admission) shrinkFor(e *engine.Entry, need int) bool {
	if a.searchesLeft <= 0 || e.UnplaceableReason != "" {
		return false
	}
	start := a.draft.Mark()
	var shrunk []shrunkJob
	for _, v := range a.victimsFor(e) {
		has := a.draft.Size(v)
		shrunk = append(shrunk, shrunkJob{v, e, has})
		missing := max(need-a.FreePool.TotalFree(e.Ask.GPUs.Type), 1)
		if a.fitsBeside(e, need, v, max(has-missing, v.MinGPUs)) || has-missing > v.MinGPUs && a.fitsBeside(e, need, v, v.MinGPUs) {
			a.restoreNeedless(shrunk)
			return true
		}
	}
	a.draft.Rewind(start)
	a.searchesLeft--
	return false
}

// fitsBeside shrinks a job, and reports whether the other then has a place.
func (a *admission) fitsBeside(e *engine.Entry, need int, v *engine.Entry, size int) bool {
	return a.draft.TrySize(v, size, nil) && a.draft.TrySize(e, need, a.objection)
}

// shrunkJob is a job that gave devices, for whom, and what it had.
type shrunkJob struct {
	*engine.Entry
	gaveTo *engine.Entry
	had    int
}

// restoreNeedless gives jobs back what they gave where the one they gave it for has a place
// elsewhere.
func (a *admission) restoreNeedless(shrunk []shrunkJob) {
	for _, v := range slices.Backward(shrunk) {
		if !a.draft.TrySize(v.Entry, v.had, nil) {
			a.shrunk = append(a.shrunk, v)
		}
	}
}

// victimsFor are the jobs that can spare devices the job could use: the largest surplus first,
// of equal ones the one that loses least speed by a device, then the last to come.
func (a *admission) victimsFor(e *engine.Entry) []*engine.Entry {
	var all []*engine.Entry
	for _, v := range a.shrinkable {
		if typ := e.Ask.GPUs.Type; a.surplus(v) > 0 && (typ == "" || v.PlannedAlloc.FirstType() == typ) {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(x, y *engine.Entry) int {
		return engine.ThenArrival(cmp.Or(cmp.Compare(a.surplus(y), a.surplus(x)), cmp.Compare(a.loss(x), a.loss(y))), y, x)
	})
	return all
}

func (a *admission) surplus(v *engine.Entry) int { return a.draft.Size(v) - v.MinGPUs }

// loss is the speed that the last device gives a job. It is asked of each job for each that waits,
// and costs a search of the best batch where that follows the size: so it is remembered.
func (a *admission) loss(v *engine.Entry) float64 {
	at := sizeOf{v.Index, a.draft.Size(v)}
	loss, known := a.losses[at]
	if !known {
		loss = sizing.Speed(v, at.devices) - sizing.Speed(v, at.devices-1)
		a.losses[at] = loss
	}
	return loss
}

// sizeOf is a job, by its place in the round, on so many devices.
type sizeOf struct{ index, devices int }
