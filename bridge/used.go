package bridge

import "fairbridge/policy"

// Use is what probes saw of one job on all of its nodes.
type Use struct {
	Busy     policy.Measure   // mean utilisation of its GPUs, those it leaves alone included; unknown when one is not known or shared
	Progress policy.Measure   // done share of its work, by its own report
	Training *policy.Training // its work in steps and its speed, by its own report; nil: not told
}

// JobProbes are probes that also tell what single jobs do.
type JobProbes interface {
	// Used returns what the last Sample showed of running jobs, by Slurm's
	// id. A job that is absent is unknown.
	Used() map[int64]Use
}

func (l *Loop) used() map[int64]Use {
	if p, ok := l.Probes.(JobProbes); ok {
		return p.Used()
	}
	return nil
}

// use adds what was seen of the job itself. Where nothing was, its nodes' mean
// stands for it.
func (a *assembler) use(out *policy.Job) {
	u, ok := a.Used[int64(out.ID)]
	if !ok {
		out.Busy = a.busy(out.On)
		return
	}
	out.Busy, out.Progress = u.Busy, u.Progress
	if u.Training != nil {
		out.Training = u.Training
	}
}
