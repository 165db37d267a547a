package cycle_test

import (
	"time"

	"fairbridge/bridge/slurm"
)

// What a view can be made to say that is not so, for wire.spoil. Single jobs are
// told rightly all the while, as Slurm does.

// filtered leaves every so-manieth job out of the list, as lost rights under
// PrivateData do.
func filtered(every int) func(*slurm.View) {
	return func(v *slurm.View) {
		var kept []slurm.Job
		for i := range v.Jobs {
			if i%every != 0 {
				kept = append(kept, v.Jobs[i])
			}
		}
		v.Jobs = kept
	}
}

// emptied lists no job at all.
func emptied(v *slurm.View) { v.Jobs = nil }

// cutNodes lists the first so many nodes only.
func cutNodes(left int) func(*slurm.View) {
	return func(v *slurm.View) { v.Nodes = v.Nodes[:min(left, len(v.Nodes))] }
}

// clockOff shows slurmctld's clock so far ahead of the truth, negative: behind.
func clockOff(by time.Duration) func(*slurm.View) {
	return func(v *slurm.View) { v.At = v.At.Add(by) }
}
