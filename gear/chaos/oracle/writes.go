package oracle

import (
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// writesSlurmMayForget are the writes of ours that a crash of slurmctld could make it
// forget, by time.
type writesSlurmMayForget struct {
	undoFuncs  []func() // how to take each back
	writeTimes []time.Time
	isUndoing  bool
}

// addWrite keeps how to make Slurm forget a write.
func (l *writesSlurmMayForget) addWrite(world *sim.World, e *jobEntry, w *sim.AuditEntry, after *slurm.Job) {
	var undo sim.JobUpdate
	fields := writtenFields(&w.Update)
	if len(fields) != 1 || w.Update.Hold != nil {
		return
	}
	f, kept := fields[0], *e.stateByField[fields[0]]
	switch f {
	case FieldBegin:
		undo.BeginTime = sim.Ptr(w.JobBefore.EligibleTime)
	case FieldNice:
		undo.Nice = sim.Ptr(w.JobBefore.Nice)
	case FieldRequiredNodes:
		undo.RequiredNodes = sim.Ptr(append([]string{}, w.JobBefore.RequiredNodes.Names...))
	case FieldAdminComment:
		undo.AdminComment = &w.JobBefore.AdminComment
	case FieldGPUs:
		if n := askedShards(&w.JobBefore); n > 0 {
			undo.Shards = sim.Ptr(int(n))
			break
		}
		undo.GPUs, undo.GPUType = sim.Ptr(slurm.SumGRES(w.JobBefore.GresPerNode.List, "gpu")), sim.Ptr(askedGPUType(&w.JobBefore))
	default:
		return
	}
	undo.SLUID = after.SLUID
	l.writeTimes = append(l.writeTimes, world.Now())
	l.undoFuncs = append(l.undoFuncs, func() {
		if m := e.stateByField[f]; m.isOursStanding && world.Update("", e.id, undo) == nil {
			*m = kept
		}
	})
}

// undoSince takes back what was written since then.
func (l *writesSlurmMayForget) undoSince(since time.Time) {
	l.isUndoing = true
	defer func() { l.isUndoing = false }()
	for i := len(l.undoFuncs) - 1; i >= 0 && l.writeTimes[i].After(since); i-- {
		l.undoFuncs[i]()
	}
	l.undoFuncs, l.writeTimes = nil, nil
}
