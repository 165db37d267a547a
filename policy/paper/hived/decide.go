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

// decide finds cells for a job that does not run.
func (h *allocator) decide(e *engine.Entry) {
	v := &h.verdicts[e.Index]
	if v.isSimple = e.Ask.GPUs.PartPercent%100 != 0; v.isSimple || !h.MayRun(e) || h.CheckEverFits(e) != nil {
		v.why = "it cannot start now"
		return
	}
	switch {
	case !v.isGuaranteed:
		note := ""
		if h.hasCells(e) {
			note = fmt.Sprintf(" (the cells of account %s could never hold it)", e.Account)
		}
		h.decideOpportunistic(e, note)
	case h.blocked[e.Account] != "":
		v.why = fmt.Sprintf("job %s of its account waits for cells, and is before it", h.blocked[e.Account])
	default:
		h.decideGuaranteed(e, h.request(e, e.Ask.GPUs.Type, cells.MinPriority))
	}
}

// decideOpportunistic lets a job run on what no job uses.
func (h *allocator) decideOpportunistic(e *engine.Entry, note string) {
	v := &h.verdicts[e.Index]
	if h.FreePool.TotalFree(e.Ask.GPUs.Type) < e.Ask.GPUs.Count {
		v.why = "outside all cells of accounts" + note + ": " + string(cells.NoCapacity)
		return
	}
	r, a, err := h.scheduleFastest(e)
	if err != nil || a.Wait != "" {
		v.why = "outside all cells of accounts" + note + ": " + waitText(a, err)
		return
	}
	if !h.mayLeave(e) && !h.cluster.CanSpare(a) {
		v.why = "it may not be stopped, and would take cells that accounts are due" + note
		return
	}
	on := allocOf(a)
	if why := h.take(e, on); why != nil {
		v.why = why.Error()
		return
	}
	h.demandByType[e.Ask.GPUs.Type] -= e.WantedDeviceCount
	h.start(r, a)
	if !h.mayLeave(e) {
		h.setBad(e)
	}
	v.on, v.note = on, "is opportunistic"+note
}

// scheduleFastest finds devices of the best type for a job that takes any, or of the one it asks for.
func (h *allocator) scheduleFastest(e *engine.Entry) (r cells.Request, a cells.Answer, err error) {
	types := []string{e.Ask.GPUs.Type}
	if types[0] == "" {
		types = h.OrderGPUTypes(e, h.demandByType)
	}
	a.Wait = cells.NoCapacity
	for _, gpuType := range types {
		r = h.request(e, gpuType, cells.OpportunisticPriority)
		if a, err = h.cluster.Schedule(r); err == nil && a.Wait == "" {
			break
		}
	}
	return r, a, err
}

func waitText(a cells.Answer, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(a.Wait)
}

// start says that all tasks of a job start.
func (h *allocator) start(r cells.Request, a cells.Answer) {
	for _, m := range r.Members {
		for range m.Tasks {
			r.Devices = m.Devices
			h.cluster.Start(r, a)
		}
	}
}

// take takes the devices, if the job may have them.
func (h *allocator) take(e *engine.Entry, on policy.Alloc) error {
	gang := e.GangAsk()
	if !pool.AllowsAlloc(h.FreePool, on, e.Partition, gang) {
		return fmt.Errorf("its cells would be %v, which it may not use", on)
	}
	if err := h.FreePool.Take(on, gang.CPUs, gang.MemMB); err != nil {
		return fmt.Errorf("its cells would be %v: %w", on, err)
	}
	return nil
}

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
