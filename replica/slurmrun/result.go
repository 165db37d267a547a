package slurmrun

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/replica/measure"
	"fairbridge/replica/sim"
	"fairbridge/replica/workload"
)

// resultBuilder turns Slurm's accounting into those of a run.
type resultBuilder struct {
	workloadStart time.Time
	jobs          []workload.Job // of the workload
	jobIndexes    jobIndexes     // in jobs
	endedRuns     []sim.EndedRun
}

// fillRun adds what became of the jobs.
func (f *resultBuilder) fillRun(out *measure.Run) {
	out.JobOutcomes = make([]measure.JobOutcome, len(f.jobs))
	for i := range f.jobs {
		j := &f.jobs[i]
		out.JobOutcomes[i] = measure.JobOutcome{
			ID: j.ID, User: j.User, Account: j.Account, GPUCount: j.GPUs, Arrive: j.Arrive, Start: -1, ExclusiveRunSeconds: j.Duration,
		}
	}
	for i := range f.endedRuns {
		f.addEndedRun(out, &f.endedRuns[i])
	}
	setMeanJobsPresent(out.JobOutcomes)
	out.Samples = f.newSamples()
}

// addEndedRun counts one run of a job.
func (f *resultBuilder) addEndedRun(out *measure.Run, s *sim.EndedRun) {
	o := &out.JobOutcomes[f.jobIndexes.findEnded(s)]
	start, end := f.secondsSinceStart(s.Start), f.secondsSinceStart(s.End)
	gpus := float64(s.GPUCount)
	if o.Start < 0 || start < o.Start {
		o.Start = start
	}
	o.Finish = max(o.Finish, end)
	o.HeldSeconds += end - start
	o.Service += gpus * (end - start)
	o.LostService += gpus * s.LostTime.Seconds()
	if s.EndState == "REQUEUED" {
		o.StopCount++
	}
	out.BusyGPUSeconds += gpus * (end - start - s.LostTime.Seconds())
	out.MakespanSeconds = max(out.MakespanSeconds, end)
}

func (f *resultBuilder) secondsSinceStart(t time.Time) float64 {
	return t.Sub(f.workloadStart).Seconds()
}

// setMeanJobsPresent fills in the mean number of jobs present while each was.
func setMeanJobsPresent(jobs []measure.JobOutcome) {
	type change struct {
		at float64
		by float64
	}
	var changes []change
	for i := range jobs {
		changes = append(changes, change{jobs[i].Arrive, 1}, change{jobs[i].Finish, -1})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.by, a.by)) })
	at, area := make([]float64, len(changes)), make([]float64, len(changes)) // integral up to each change
	n := 0.0
	for i, c := range changes {
		if i > 0 {
			area[i] = area[i-1] + n*(c.at-changes[i-1].at)
		}
		at[i] = c.at
		n += c.by
	}
	until := func(t float64) float64 {
		i, _ := slices.BinarySearch(at, t)
		return area[i]
	}
	for i := range jobs {
		if o := &jobs[i]; o.Finish > o.Arrive {
			o.MeanJobsPresent = (until(o.Finish) - until(o.Arrive)) / (o.Finish - o.Arrive)
		}
	}
}

// newSamples is the cluster over time, one sample per change.
func (f *resultBuilder) newSamples() []measure.ClusterSample {
	var changes []measure.JobChange
	for i := range f.jobs {
		changes = append(changes, measure.JobChange{AtSeconds: f.jobs[i].Arrive, QueuedDelta: 1})
	}
	for _, s := range f.endedRuns {
		changes = append(changes, measure.JobChange{AtSeconds: f.secondsSinceStart(s.Start), Account: s.Account, GPUDelta: s.GPUCount, RunningDelta: 1, QueuedDelta: -1})
		back := 0
		if s.EndState == "REQUEUED" || s.EndState == "NODE_FAIL" {
			back = 1
		}
		changes = append(changes, measure.JobChange{AtSeconds: f.secondsSinceStart(s.End), Account: s.Account, GPUDelta: -s.GPUCount, RunningDelta: -1, QueuedDelta: back})
	}
	return measure.SamplesFromChanges(changes)
}
