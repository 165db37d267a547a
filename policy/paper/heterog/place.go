package heterog

import (
	"errors"
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// mixPlacer chooses between GPUs of one type, of several, and waiting for those of one.
type mixPlacer struct {
	*Policy
	waits *waits
}

var errOneType = errors.New("only GPUs of several types together are free, and it does not run on such")

// Place implements engine.Placer.
func (p *mixPlacer) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	if gang.GPUs.Type != "" {
		return pool.Fit(r.FreePool, e.Partition, gang)
	}
	single := fitOneType(r.FreePool, e.Partition, gang)
	mixed, g := p.fitMix(r, e, gang)
	switch {
	case single == nil && mixed == nil:
		return nil, errOneType
	case mixed == nil:
		return single, nil
	case single != nil && g.speed(mixed, p.Mix, p.Cost) < (1+p.Gain)*g.speedOn(single.FirstType()):
		return single, nil
	case single != nil:
		return mixed, nil
	}
	return mixed, p.checkWorthStarting(r, e, g, mixed)
}

// fitOneType finds room on GPUs of one type, the fastest for the job first; nil: there is none.
func fitOneType(free *pool.Pool, partition string, gang policy.Ask) policy.Alloc {
	one := gang
	for _, one.GPUs.Type = range free.TypesFor(&gang) {
		if one.GPUs.Type == "" {
			continue
		}
		if on, err := pool.Fit(free, partition, one); err == nil {
			return on
		}
	}
	return nil
}

// fitMix finds room on GPUs of several types; nil: there is none, or the job may not have such.
func (p *mixPlacer) fitMix(r *engine.Round, e *engine.Entry, gang policy.Ask) (policy.Alloc, *gangSpeeds) {
	if p.Mix == mixNever || !e.AcceptsMixedTypes || gang.GPUs.Count < 2 {
		return nil, nil
	}
	g := newGangSpeeds(r, e)
	if len(g.types) < 2 {
		return nil, nil
	}
	on := g.fillFastestFirst(r.FreePool, e.Partition, gang)
	if on == nil || !on.HasSeveralTypes() || !pool.AllowsAlloc(r.FreePool, on, e.Partition, gang) || !canTake(r.FreePool, on, gang) {
		return nil, nil
	}
	return on, g
}

// canTake reports whether the devices are free with the cores and memory that the gang asks.
func canTake(free *pool.Pool, on policy.Alloc, gang policy.Ask) bool {
	mark := free.UndoMark()
	defer free.Rewind(mark)
	return free.Take(on, gang.CPUs, gang.MemMB) == nil
}

// checkWorthStarting says so where the job ends sooner if it waits for GPUs of one type.
func (p *mixPlacer) checkWorthStarting(r *engine.Round, e *engine.Entry, g *gangSpeeds, mixed policy.Alloc) error {
	if e.Estimate().TimeLeft <= 0 {
		return nil
	}
	if p.waits == nil {
		p.waits = newWaits(r)
	}
	work := e.Estimate().TimeLeft.Seconds() * g.fastest()
	now := work / g.speed(mixed, p.Mix, p.Cost)
	for _, t := range g.types {
		wait, ok := p.waits.until(t.name, e.WantedDeviceCount)
		if total := wait.Seconds() + work/t.speed; ok && total <= now {
			return fmt.Errorf("on %v it would run for %s, and is done sooner if it waits %s for %s", mixed,
				policy.FormatSeconds(now), policy.FormatDuration(wait), policy.GPUs{Type: t.name, Count: e.WantedDeviceCount})
		}
	}
	return nil
}
