package learn

import "time"

// Job is what is known of a job before it starts.
type Job struct {
	User    string
	Account string
	Name    string
	GPUType string // of its GPUs; "": not known yet
	GPUs    int
	Limit   time.Duration // of one run; 0: none
}

// Run is how long a job ran that ended by itself, or by its limit.
type Run struct {
	Job
	Start time.Time     // of its first run
	End   time.Time     // of its last
	Ran   time.Duration // in all its runs
}

// limitedSeconds is the run time, at most the limit: Slurm takes a while to kill.
func (r *Run) limitedSeconds() float64 {
	if r.Limit > 0 {
		return min(r.Ran, r.Limit).Seconds()
	}
	return r.Ran.Seconds()
}
