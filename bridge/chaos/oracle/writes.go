package oracle

import (
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// lastWrites are the writes of ours that a crash of slurmctld could make it
// forget, by time.
type lastWrites struct {
	undo    []func() // how to take each back
	times   []time.Time
	undoing bool
}

// add keeps how to make Slurm forget a write.
func (l *lastWrites) add(world *sim.World, e *jobEntry, w *sim.AuditEntry, after *slurm.Job) {
	var undo sim.JobUpdate
	fields := fieldsOf(&w.Update)
	if len(fields) != 1 || w.Update.Hold != nil {
		return
	}
	f, kept := fields[0], *e.marks[fields[0]]
	switch f {
	case Begin:
		undo.BeginTime = sim.Ptr(w.JobBefore.Eligible)
	case Nice:
		undo.Nice = sim.Ptr(w.JobBefore.Nice)
	case Required:
		undo.RequiredNodes = sim.Ptr(append([]string{}, w.JobBefore.RequiredNodes.Names...))
	default:
		return
	}
	undo.SLUID = after.SLUID
	l.times = append(l.times, world.Now())
	l.undo = append(l.undo, func() {
		if m := e.marks[f]; m.stands && world.Update("", e.id, undo) == nil {
			*m = kept
		}
	})
}

// undoSince takes back what was written since then.
func (l *lastWrites) undoSince(since time.Time) {
	l.undoing = true
	defer func() { l.undoing = false }()
	for i := len(l.undo) - 1; i >= 0 && l.times[i].After(since); i-- {
		l.undo[i]()
	}
	l.undo, l.times = nil, nil
}
