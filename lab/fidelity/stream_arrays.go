package fidelity

import (
	"time"

	"fairbridge/replica/workload"
)

// newArrayStream has job arrays among single jobs; half of the arrays limit how many of their tasks
// run at once.
func newArrayStream() Stream {
	d := newDrawer(14)
	s := Stream{
		Name: "arrays", Title: "10 job arrays of 6 to 20 tasks, half with a limit (%2 to %5), and single jobs, of 4 to 70 s; Slurm's passes every 5 s", NodeCount: 4, GPUsPerNode: 8, Speed: 4,
		SlurmConf: usualConf + "AuthInfo=cred_expire=30\n", RestartCost: 2 * time.Second,
	}
	at := 0.0
	for i := range 35 {
		at += d.ExpFloat64() * 8
		if i%7 == 0 || i%7 == 3 {
			s.Jobs = append(s.Jobs, d.newArray(at, 6+d.Intn(15), d.pick(1, 1, 2, 4), i%7/3*d.pick(2, 3, 4, 5))...)
			continue
		}
		s.Jobs = append(s.Jobs, d.newJob(at, d.between(4, 70, 14), d.pick(1, 2, 4, 8, 16), 1, 3))
	}
	s.LoopConfig = newLoopConfig(5*time.Second, 180)
	return s
}

// newArray returns the tasks of an array: one owner, one limit, each its own length.
func (d *drawer) newArray(at float64, count, gpus, mostRunning int) []workload.Job {
	var out []workload.Job
	for range count {
		j := d.newJob(at, d.between(4, 70, 14), gpus, 1, 3)
		if len(out) > 0 {
			first := &out[0]
			j.Name, j.User, j.Account = first.Name, first.User, first.Account
			first.TimeLimit = max(first.TimeLimit, j.TimeLimit)
		}
		out = append(out, j)
	}
	for i := range out {
		out[i].ArrayID, out[i].ArrayMaxRunning, out[i].TimeLimit = out[0].ID, mostRunning, out[0].TimeLimit
	}
	return out
}
