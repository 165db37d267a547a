package bridge

import (
	"time"

	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// Warning says how a job's script is warned before the job is requeued.
type Warning struct {
	Grace  time.Duration // between the warning and the earliest requeue; 0: no warning
	Signal slurm.Signal  // ""; CONT, which ends no script, or USR1 where the owner asked for a warning
}

// usualGrace is the grace of a job whose owner names a signal and no time.
const usualGrace = 2 * time.Minute

// notice returns how a job is warned, by what its owner says and its partition.
func (p *Partition) notice(d *Directive) gate.Notice {
	n := gate.Notice{Signal: p.Warning.Signal, Grace: p.Warning.Grace}
	if n.Signal == "" {
		n.Signal = slurm.CONT
	}
	switch {
	case d.Grace != nil:
		n.Grace = *d.Grace
	case d.Signal != "" && n.Grace == 0:
		n.Grace = usualGrace
	}
	switch {
	case d.Signal != "":
		n.Signal = d.Signal
	case d.Grace != nil && p.Warning.Signal == "":
		n.Signal = slurm.USR1
	}
	return n
}

// notices returns how the running jobs of the partition are warned.
func (p *Partition) notices(v *slurm.View) map[int64]gate.Notice {
	all := map[int64]gate.Notice{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if !j.Running() || !j.In(p.Name) {
			continue
		}
		d, _ := ParseDirective(j.Comment, j.Extra)
		if n := p.notice(&d); n.Grace > 0 {
			all[j.ID] = n
		}
	}
	return all
}

// warningOf makes the gate's fact of a warning in the ledger.
func warningOf(in *ledger.Intent) gate.Warning {
	w := gate.Warning{Run: in.Edit.Run, Due: in.NotAfter, Stop: gate.Stop{Job: in.Edit.Run.Job, At: in.Made}}
	if s := in.Before.Stop; s != nil {
		w.User, w.Account, w.GPUs, w.For = s.User, s.Account, s.GPUs, s.For
	}
	return w
}
