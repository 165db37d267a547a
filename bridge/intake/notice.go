package intake

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// defaultGrace is the grace of a job whose owner names a signal and no time.
const defaultGrace = 2 * time.Minute

// noticeForJob returns how a job is warned, by what its owner says and its partition.
func noticeForJob(p *bridge.Partition, d *slurm.Directive) bridge.Notice {
	n := bridge.Notice{Signal: p.Warning.Signal, Grace: p.Warning.Grace}
	if n.Signal == "" {
		n.Signal = slurm.CONT
	}
	switch {
	case d.Grace != nil:
		n.Grace = *d.Grace
	case d.Signal != "" && n.Grace == 0:
		n.Grace = defaultGrace
	}
	switch {
	case d.Signal != "":
		n.Signal = d.Signal
	case d.Grace != nil && p.Warning.Signal == "":
		n.Signal = slurm.USR1
	}
	return n
}

// NoticeByJob returns how the running jobs of the partition are warned. One that runs on what others leave is warned no
// longer ahead than half the time in which its GPUs are to be back; 0: it is warned like any other.
func NoticeByJob(p *bridge.Partition, v *slurm.View, recall time.Duration) map[int64]bridge.Notice {
	all := map[int64]bridge.Notice{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if !j.IsRunning() || !j.IsInPartition(p.Name) {
			continue
		}
		n := noticeForJob(p, &j.Directive)
		if recall > 0 && j.Directive.Opportunistic {
			n.Grace = min(n.Grace, (recall / 2).Truncate(time.Second))
		}
		if n.Grace > 0 {
			all[j.ID] = n
		}
	}
	return all
}
