package hived

import (
	"fmt"
	"slices"
	"strconv"

	"fairbridge/policy"
	"fairbridge/policy/cells"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// decideGuaranteed gives a job cells of its account, and stops opportunistic ones on them.
func (h *allocator) decideGuaranteed(e *engine.Entry, r cells.Request) {
	v := &h.verdicts[e.Index]
	a, err := h.cluster.Schedule(r)
	if err != nil || a.Wait != "" {
		v.why = "the cells of its account: " + waitText(a, err)
		if a.Wait == cells.NoCapacity {
			h.blocked[e.Account] = e.Label()
		}
		return
	}
	victims := h.victimsOf(a)
	for _, victim := range victims {
		if victim.IsUnstoppable {
			v.why = fmt.Sprintf("job %s runs on the cells it is to have, and may not be stopped yet", victim.Label())
			h.blocked[e.Account] = e.Label()
			return
		}
	}
	mark := h.FreePool.UndoMark()
	for _, victim := range victims {
		pool.GiveBackHeld(h.FreePool, victim.Job)
	}
	on := allocOf(a)
	if why := h.take(e, on); why != nil {
		h.FreePool.Rewind(mark)
		h.cluster.End(r.Gang, r.Task)
		v.why = why.Error()
		return
	}
	gang := e.GangAsk()
	h.withoutGuests.Overdraw(on, gang.CPUs, gang.MemMB)
	for _, victim := range victims {
		h.cluster.End(gangName(victim), gangName(victim))
		h.verdicts[victim.Index].stopsFor = e.Label()
	}
	h.start(r, a)
	v.on, v.note = on, "has cells of account "+e.Account
}

// victimsOf are the jobs on the devices of the answer.
func (h *allocator) victimsOf(a cells.Answer) []*engine.Entry {
	var out []*engine.Entry
	for _, tasks := range a.Victims {
		for _, task := range tasks {
			id, _ := strconv.ParseInt(task, 10, 64)
			for _, e := range h.RunningEntries() {
				if e.ID == policy.JobID(id) && !slices.Contains(out, e) {
					out = append(out, e)
				}
			}
		}
	}
	slices.SortFunc(out, engine.CompareArrival)
	return out
}
