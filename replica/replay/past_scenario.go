// Package replay makes a workload of what a site's own cluster ran, and figures
// of what really became of it, so that policies can be compared with that.
package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// Past is what ran on a partition in a stretch of time.
type Past struct {
	Name         string // of the scenario made of it
	Partition    string
	Since, Until time.Time
	Runs         []bridge.PastRun            // as SiteRecord returns them
	LastSeenJobs map[policy.JobID]policy.Job // jobs as snapshots showed them, as far as any did
	Nodes        []policy.Node               // to simulate on
	Accounts     []policy.Account
	OptIn        bridge.OptIn // who lets jobs be stopped, by the site's configuration
	AllStoppable bool         // as if every job let itself be stopped
	Remarks      []string     // what of the record no simulation follows, in sentences
	// AtEnd are the jobs that waited or ran at Until: they go on after. nil: who ran then ends
	// then, and who waited is left out.
	AtEnd []policy.Job
}

// PastScenario is a past that can be simulated.
type PastScenario struct {
	*study.Scenario
	Partition    string
	Since, Until time.Time // Since: the first arrival, if that was later than what was asked
	// OnAskedNodes has the same jobs on other nodes, for which an answer is wanted; nil: the
	// answer is wanted for those of then.
	OnAskedNodes *study.Scenario
	RealRun      *measure.Run // what happened to the same jobs
	// ArrivedWithinPeriod are the jobs that arrived within the time and were free to start; of
	// the others nobody can say how long they waited for GPUs: they were there at its beginning,
	// or were kept back by something that is not simulated.
	ArrivedWithinPeriod map[int64]bool
	Unended             map[int64]UnendedJob // those of Past.AtEnd
	History             study.History        // what had ended before
	// Decider is what decided then, in Mode; Loop is the site's configuration as
	// far as it matters to a simulation.
	Decider    policyset.PolicyChoice
	Mode       bridge.Mode
	LoopConfig bridge.Config
	// OwnStopCount is how many runs were ended by a requeue of ours.
	OwnStopCount int
}

// pastJob is one job of the past.
type pastJob struct {
	workload.Job
	outcome           measure.JobOutcome
	runSpans          [][2]float64 // of its runs
	runGPUs           []int        // that they held
	wasPresentAtStart bool         // it was there at the beginning
	isStillRunning    bool         // a run is still under way
	wasHeld           bool         // it waited for something that is not simulated
	goesOn            bool         // it is one of Past.AtEnd
	unended           UnendedJob   // if it goes on
}

// NewPastScenario makes a scenario of the past, and figures of what happened.
func NewPastScenario(p Past) (*PastScenario, error) {
	if first := p.firstArrival(); first.After(p.Since) {
		p.Since = first
	}
	jobs := p.newJobs()
	list := make([]workload.Job, len(jobs))
	for i := range jobs {
		list[i] = jobs[i].Job
	}
	scenario, err := study.NewScenario(study.Scenario{Name: p.Name, Jobs: list, Accounts: p.Accounts, Nodes: p.Nodes, Remarks: slices.Clone(p.Remarks)}, true)
	if err != nil {
		return nil, err
	}
	fits := map[int64]bool{}
	for i := range scenario.Jobs {
		fits[scenario.Jobs[i].ID] = true
	}
	jobs = slices.DeleteFunc(jobs, func(j pastJob) bool { return !fits[j.ID] })
	s := &PastScenario{Scenario: scenario, Partition: p.Partition, Since: p.Since, Until: p.Until, ArrivedWithinPeriod: map[int64]bool{}, Unended: map[int64]UnendedJob{}}
	s.addRemarks(jobs)
	for i := range jobs {
		if jobs[i].goesOn {
			s.Unended[jobs[i].ID] = jobs[i].unended
		}
		s.ArrivedWithinPeriod[jobs[i].ID] = !jobs[i].wasPresentAtStart && !jobs[i].wasHeld
	}
	for i := range p.Runs {
		s.OwnStopCount += boolToInt(p.Runs[i].StoppedByUs)
	}
	s.RealRun = s.newRealRun(jobs)
	return s, nil
}

// firstArrival is when the first job arrived.
func (p *Past) firstArrival() time.Time {
	first := p.Until
	for i := range p.Runs {
		if at := p.Runs[i].Arrive; at.Before(first) {
			first = at
		}
	}
	return first
}

// addRemarks says what to know before believing the figures.
func (s *PastScenario) addRemarks(jobs []pastJob) {
	carried, open, again, held, sized := 0, 0, 0, 0, 0
	for i := range jobs {
		carried += boolToInt(jobs[i].wasPresentAtStart)
		open += boolToInt(jobs[i].isStillRunning)
		again += boolToInt(jobs[i].outcome.StopCount > 0)
		held += boolToInt(jobs[i].wasHeld)
		sized += boolToInt(jobs[i].ranOnOtherSize())
	}
	for _, r := range []struct {
		n    int
		text string
	}{
		{carried, "there at the beginning: %s, arriving at once with what was left of them"},
		{open, "still running: %s, ending where the record does"},
		{held, "kept back by a dependency, a reservation, a limit or an administrator: %s, arriving when last seen so"},
		{sized, "run on another number of GPUs than asked: %s, whose work is told on what they ask by what is known or assumed of their speed"},
		{again, "run more than once: %s, of which the runs that were lost are not simulated"},
	} {
		if r.n > 0 {
			s.Remarks = append(s.Remarks, fmt.Sprintf(r.text, policy.FormatCount(r.n, "job")))
		}
	}
	if text := goOnRemark(jobs); text != "" {
		s.Remarks = append(s.Remarks, text)
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// newJobs puts runs together by job, by arrival. A number that was used twice is
// replaced the second time.
func (p *Past) newJobs() []pastJob {
	var out []pastJob
	atEnd, known := p.jobsAtEnd(), map[jobKey]bool{}
	for from := 0; from < len(p.Runs); {
		to := from + 1
		for to < len(p.Runs) && p.Runs[to].Job == p.Runs[from].Job && p.Runs[to].Arrive.Equal(p.Runs[from].Arrive) {
			to++
		}
		l := p.newJob(p.Runs[from:to])
		key := keyOf(p.Runs[from].Job, p.Runs[from].Arrive)
		if j := atEnd[key]; j != nil {
			l.goOn(p, j)
		}
		known[key] = true
		out = append(out, l)
		from = to
	}
	out = append(out, p.newWaitingJobs(known)...)
	numberApart(out)
	slices.SortStableFunc(out, func(x, y pastJob) int { return cmp.Or(cmp.Compare(x.Arrive, y.Arrive), cmp.Compare(x.ID, y.ID)) })
	return out
}

// numberApart gives jobs numbers of their own where several have the same.
func numberApart(jobs []pastJob) {
	used, next := map[int64]bool{}, int64(1)
	for i := range jobs {
		next = max(next, jobs[i].ID+1)
	}
	for i := range jobs {
		l := &jobs[i]
		if used[l.ID] {
			l.ID, next = next, next+1
			l.outcome.ID = l.ID
		}
		used[l.ID] = true
	}
}

// secondsSinceStart counts from the beginning; what lies before it counts as then.
func (p *Past) secondsSinceStart(t time.Time) float64 { return max(t.Sub(p.Since).Seconds(), 0) }

// newJob makes one job of its runs. If it was stopped by us it went on where it
// was, so that all runs are its work; else only the last one is. It asks for what its owner did, and its work is told
// on that, also where it ran on a size of ours.
func (p *Past) newJob(runs []bridge.PastRun) pastJob {
	first, last := &runs[0], &runs[len(runs)-1]
	l := pastJob{wasPresentAtStart: first.Arrive.Before(p.Since), isStillRunning: !last.HasEnded}
	ran, kept, service, lost, stopped := 0.0, 0.0, 0.0, 0.0, false // kept: on what it asks; lost: GPU-seconds
	known := p.scalingOf(last)
	for i := range runs {
		s, e := p.secondsSinceStart(runs[i].Start), p.secondsSinceStart(runs[i].End)
		l.runSpans, l.runGPUs = append(l.runSpans, [2]float64{s, e}), append(l.runGPUs, runs[i].GPUs)
		ran += e - s
		service += float64(runs[i].GPUs) * (e - s)
		stopped = stopped || runs[i].StoppedByUs
		if kept += paceOf(&runs[i], known) * (e - s); !runs[i].StoppedByUs && i+1 < len(runs) {
			kept, lost = 0, service
		}
	}
	l.Job = workload.Job{
		ID: int64(last.Job), Name: last.Name, User: last.User, Account: last.Account, QOS: last.QOS,
		Arrive: p.arriveSeconds(first), GPUs: askedGPUs(last), NodeCount: last.NodeCount, Duration: kept, End: endFromState(last.State),
		TimeLimit: p.inferTimeLimit(first, last), IsSilent: true, IsUnstoppable: !(p.AllStoppable || stopped || p.mayBeStopped(last)),
	}
	if len(last.GPUTypes) == 1 {
		l.GPUType = last.GPUTypes[0]
	}
	if seen, ok := p.LastSeenJobs[last.Job]; ok && seen.Arrive.Equal(last.Arrive) {
		l.IsUnstoppable = l.IsUnstoppable && seen.UnstoppableReason != ""
		l.Class, l.IsShareable, l.RestartCostSeconds = seen.Class, seen.Shareable, seen.CheckpointCost.Seconds()
		if seen.MinGPUs > 0 && seen.MinGPUs <= l.GPUs && seen.MaxGPUs >= l.GPUs { // as a job on its owner's number has it
			l.MinGPUs, l.MaxGPUs, l.Scaling = seen.MinGPUs, seen.MaxGPUs, seen.Scaling
		}
		if l.wasHeld = seen.HeldReason != ""; l.wasHeld {
			l.Arrive = max(l.Arrive, min(p.secondsSinceStart(seen.EligibleAt), l.runSpans[0][0]))
		}
	}
	l.outcome = measure.JobOutcome{
		ID: l.ID, User: l.User, Account: l.Account, GPUCount: l.GPUs, Arrive: l.Arrive, Start: l.runSpans[0][0],
		Finish: p.secondsSinceStart(last.End), ExclusiveRunSeconds: kept, StopCount: len(runs) - 1, HeldSeconds: ran, Service: service, LostService: lost,
	}
	return l
}

// settleSeconds is how much later than the jobs that ran at the beginning those arrive that
// waited then: by that time the former hold their GPUs again.
const settleSeconds = 30

// arriveSeconds is when the job arrives in the scenario.
func (p *Past) arriveSeconds(first *bridge.PastRun) float64 {
	if first.Arrive.Before(p.Since) && first.Start.After(p.Since) {
		return min(settleSeconds, p.secondsSinceStart(first.Start))
	}
	return p.secondsSinceStart(first.Arrive)
}

// inferTimeLimit is what was left of the time limit at the beginning.
func (p *Past) inferTimeLimit(first, last *bridge.PastRun) time.Duration {
	d := policy.DurationFromSeconds(last.LimitSeconds)
	if d > 0 && first.Start.Before(p.Since) {
		d = max(d-p.Since.Sub(first.Start), time.Minute)
	}
	return d
}

// mayBeStopped reports whether the site lets such jobs be stopped.
func (p *Past) mayBeStopped(r *bridge.PastRun) bool {
	o := &p.OptIn
	return slices.Contains(o.QOS, r.QOS) || slices.Contains(o.Accounts, r.Account) || slices.Contains(o.Partitions, p.Partition)
}

func endFromState(state string) workload.JobEnd {
	switch state {
	case "CANCELLED":
		return workload.Cancelled
	case "COMPLETED", "TIMEOUT", "RUNNING":
		return workload.Completed
	}
	return workload.Failed
}

// newRealRun makes figures of what happened.
func (s *PastScenario) newRealRun(jobs []pastJob) *measure.Run {
	run := &measure.Run{PolicyName: "what happened", TraceName: s.Name, ClusterGPUs: s.CountGPUs(), JobOutcomes: []measure.JobOutcome{}}
	var changes []measure.JobChange
	for i := range jobs {
		l := &jobs[i]
		run.JobOutcomes = append(run.JobOutcomes, l.outcome)
		run.BusyGPUSeconds += l.outcome.Service - l.outcome.LostService
		run.MakespanSeconds = max(run.MakespanSeconds, l.outcome.Finish)
		changes = append(changes, measure.JobChange{AtSeconds: l.Arrive, QueuedDelta: 1})
		for k, span := range l.runSpans {
			changes = append(changes,
				measure.JobChange{AtSeconds: span[0], Account: l.Account, GPUDelta: l.runGPUs[k], RunningDelta: 1, QueuedDelta: -1},
				measure.JobChange{AtSeconds: span[1], Account: l.Account, GPUDelta: -l.runGPUs[k], RunningDelta: -1, QueuedDelta: boolToInt(k+1 < len(l.runSpans))})
		}
	}
	run.Samples = measure.SamplesFromChanges(changes)
	run.ShareDeficit = run.ComputeShareDeficit(s.AccountWeight)
	return run
}
