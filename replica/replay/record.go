package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/policy/scaling"
	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// SiteRecord is where a site's past is kept.
type SiteRecord interface {
	RunsRecord
	CyclesRecord
}

// RunsRecord is the record of what ran and what was used.
type RunsRecord interface {
	// PastRuns returns the runs of a partition that held GPUs at some time from
	// since to until, those of a job together.
	PastRuns(ctx context.Context, cluster, partition string, since, until time.Time) ([]bridge.PastRun, error)
	// CountUnstartedJobs returns how many GPU jobs of a partition that arrived from since to
	// until never ran: those that wait still, and those that ended before they started.
	CountUnstartedJobs(ctx context.Context, cluster, partition string, since, until time.Time) (waiting, ended int, err error)
	// Past returns what accounts had used by then.
	Past(ctx context.Context, cluster string, now time.Time) (*bridge.Past, error)
}

// CyclesRecord is the record of what was decided.
type CyclesRecord interface {
	// ListSteering returns what decided about a partition, most often first.
	ListSteering(ctx context.Context, cluster, partition string, since, until time.Time) ([]bridge.PolicyCycleCounts, error)
	// LastSeenJobs returns jobs as snapshots showed them last.
	LastSeenJobs(ctx context.Context, cluster, partition string, since, until time.Time) (map[policy.JobID]policy.Job, error)
	// LastSnapshot returns that of the partition's last cycle.
	LastSnapshot(ctx context.Context, cluster, partition string) (*policy.Snapshot, error)
}

// Period is a stretch of a partition's past, and what to assume about it.
type Period struct {
	Cluster, Partition string
	Since, Until       time.Time
	Nodes              []policy.Node // to simulate policies on; nil: those of the last snapshot
	LoopConfig         bridge.Config // the site's own
	AllStoppable       bool          // as if every job let itself be stopped
	// IsNow says that the period ends with the last snapshot: jobs that wait or run in it go on
	// after, for as long as is predicted of them.
	IsNow bool
}

// ReadScenario reads a period from the record and makes a PastScenario of it.
func (p Period) ReadScenario(ctx context.Context, from SiteRecord) (*PastScenario, error) {
	runs, err := from.PastRuns(ctx, p.Cluster, p.Partition, p.Since, p.Until)
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("the record has no GPU job of partition %s that ran between %s and %s; fairbridge import reads older ones", p.Partition, p.Since.Format(time.DateTime), p.Until.Format(time.DateTime))
	}
	steering, err := from.ListSteering(ctx, p.Cluster, p.Partition, p.Since, p.Until)
	if err != nil {
		return nil, err
	}
	decider, mode, err := p.findDecider(steering, runs)
	if err != nil {
		return nil, err
	}
	past, err := p.readPast(ctx, from, runs)
	if err != nil {
		return nil, err
	}
	s, err := p.newPastScenario(past)
	if err != nil {
		return nil, err
	}
	s.Decider, s.Mode, s.LoopConfig = decider, mode, p.LoopConfig
	if s.History, err = p.readHistory(ctx, from); err != nil {
		return nil, err
	}
	if !p.IsNow { // else they are not left out
		if err := p.addUnstartedRemarks(ctx, from, s); err != nil {
			return nil, err
		}
	}
	// In the simulation a job itself says whether it may be stopped; who lets it be
	// was found out before.
	s.LoopConfig.Partitions, s.LoopConfig.StopFile, s.LoopConfig.PreemptOptIn = nil, "", bridge.OptIn{Comment: true}
	return s, nil
}

// newPastScenario makes the scenario of the recorded nodes, and beside it that of those
// asked for. Where none are recorded, those asked for are taken for them.
func (p *Period) newPastScenario(past Past) (*PastScenario, error) {
	if past.Nodes == nil {
		past.Nodes = p.Nodes
		s, err := NewPastScenario(past)
		if err == nil {
			s.Remarks = append(s.Remarks, "the nodes of then are not recorded: those of --cluster are taken for them")
		}
		return s, err
	}
	s, err := NewPastScenario(past)
	if err != nil || p.Nodes == nil {
		return s, err
	}
	past.Nodes = p.Nodes
	other, err := NewPastScenario(past)
	if err == nil {
		s.OnAskedNodes = other.Scenario
	}
	return s, err
}

// readPast reads what belongs to the runs. Its nodes are those of the last snapshot, nil
// where there is none and others are asked for.
func (p *Period) readPast(ctx context.Context, from SiteRecord, runs []bridge.PastRun) (Past, error) {
	var recorded []policy.Node
	var atEnd []policy.Job
	var remarks []string
	snapshot, err := from.LastSnapshot(ctx, p.Cluster, p.Partition)
	switch {
	case err == nil:
		recorded, remarks = nodesFromSnapshot(snapshot), describeNodesDropped(snapshot)
		if p.IsNow {
			atEnd = snapshot.Jobs
		}
	case p.Nodes == nil:
		return Past{}, fmt.Errorf("what nodes does partition %s have? Say it by --cluster: %w", p.Partition, err)
	}
	known, err := from.Past(ctx, p.Cluster, p.Since)
	if err != nil {
		return Past{}, err
	}
	seen, err := from.LastSeenJobs(ctx, p.Cluster, p.Partition, p.Since, p.Until)
	if err != nil {
		return Past{}, err
	}
	accounts := slices.Clone(known.Accounts)
	for i := range accounts {
		accounts[i].RecentService = 0 // what they used by then counts, but not by the hour
	}
	return Past{
		Name:      fmt.Sprintf("partition %s from %s to %s", p.Partition, p.Since.Format(time.DateOnly), p.Until.Format(time.DateOnly)),
		Partition: p.Partition, Since: p.Since, Until: p.Until, Runs: runs, LastSeenJobs: seen, Nodes: recorded, Remarks: remarks, Accounts: accounts,
		OptIn: p.LoopConfig.PreemptOptIn, AllStoppable: p.AllStoppable, AtEnd: atEnd,
	}, nil
}

// findDecider returns what decided most of the time in which there was something to
// decide: a policy of ours in some mode, or Slurm alone.
func (p *Period) findDecider(list []bridge.PolicyCycleCounts, runs []bridge.PastRun) (policyset.PolicyChoice, bridge.Mode, error) {
	i := slices.IndexFunc(list, func(s bridge.PolicyCycleCounts) bool { return s.EditCount > 0 })
	if i < 0 || p.LoopConfig.Interval.Seconds()*float64(list[i].CycleCount) < p.activeSpan(runs).Seconds()/2 {
		return policyset.SlurmAlone(), "", nil
	}
	c, err := policyset.ChoiceFromRecord(list[i].Policy, list[i].Params)
	if err != nil {
		return c, "", fmt.Errorf("policy %s steered then: %w", list[i].Policy, err)
	}
	c.Label += ", as then"
	return c, list[i].Mode, nil
}

// activeSpan is the time from the first arrival, or the beginning of the period,
// to the last end.
func (p *Period) activeSpan(runs []bridge.PastRun) time.Duration {
	first, last := p.Until, p.Since
	for i := range runs {
		if a := runs[i].Arrive; a.Before(first) {
			first = a
		}
		if e := runs[i].End; e.After(last) {
			last = e
		}
	}
	if first.Before(p.Since) {
		first = p.Since
	}
	return last.Sub(first)
}

// learnedHistory is how far back the daemon learns run times from (accounting/predictions).
const learnedHistory = 180 * 24 * time.Hour

// readHistory reads what had ended on the partition when the period began: the daemon has
// learnt from it, so the simulated one has.
func (p *Period) readHistory(ctx context.Context, from RunsRecord) (study.History, error) {
	runs, err := from.PastRuns(ctx, p.Cluster, p.Partition, p.Since.Add(-learnedHistory), p.Since)
	return study.History{Runs: endedJobs(runs, p.Since), Until: p.Since}, err
}

// endedJobs are the jobs of the runs that had ended by themselves or by their limit until then.
// Runs of a job lie together.
func endedJobs(runs []bridge.PastRun, until time.Time) []learn.Run {
	var ended []learn.Run
	for from := 0; from < len(runs); {
		to, ran := from, time.Duration(0)
		for to < len(runs) && runs[to].Job == runs[from].Job && runs[to].Arrive.Equal(runs[from].Arrive) {
			ran += policy.DurationFromSeconds(runs[to].End.Sub(runs[to].Start).Seconds() * paceOf(&runs[to], nil))
			to++
		}
		first, last := &runs[from], &runs[to-1]
		from = to
		if last.GPUs != askedGPUs(last) && last.State == "TIMEOUT" {
			continue // the limit ended it there, and would not have on what it asks
		}
		if !last.HasEnded || last.End.After(until) || !slices.Contains(naturalEnds, last.State) || ran <= 0 {
			continue
		}
		job := learn.Job{User: last.User, Account: last.Account, Name: last.Name, GPUs: askedGPUs(last), Limit: policy.DurationFromSeconds(last.LimitSeconds)}
		if len(last.GPUTypes) > 0 {
			job.GPUType = last.GPUTypes[0]
		}
		ended = append(ended, learn.Run{Job: job, Start: first.Start, End: last.End, Ran: ran})
	}
	return ended
}

// naturalEnds are the states from which run times are learnt, as live.
var naturalEnds = []string{"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "DEADLINE"}

// addUnstartedRemarks says how many jobs the scenario lacks because they never ran.
func (p *Period) addUnstartedRemarks(ctx context.Context, from RunsRecord, s *PastScenario) error {
	waiting, ended, err := from.CountUnstartedJobs(ctx, p.Cluster, p.Partition, p.Since, p.Until)
	for _, r := range []struct {
		count int
		text  string
	}{
		{waiting, "waiting still: %s, left out, as nobody knows how long they run"},
		{ended, "ended before they started: %s, left out, though they stood in the queue"},
	} {
		if r.count > 0 {
			s.Remarks = append(s.Remarks, fmt.Sprintf(r.text, policy.FormatCount(r.count, "job")))
		}
	}
	return err
}

// nodesFromSnapshot returns the nodes of a snapshot, all of them up, set aside for nobody, and
// with room for any job: the record does not know the cores that jobs had.
func nodesFromSnapshot(s *policy.Snapshot) []policy.Node {
	var nodes []policy.Node
	for _, n := range s.Nodes {
		n.Partitions, n.DownReason, n.CPUs, n.MemMB, n.Windows = []string{cluster.PartitionName}, "", 0, 0, nil
		n.GPUs = slices.Clone(n.GPUs)
		for i := range n.GPUs {
			n.GPUs[i] = policy.NodeDevices{Type: n.GPUs[i].Type, Count: n.GPUs[i].Count, PartPercent: n.GPUs[i].PartPercent}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// describeNodesDropped says what nodesFromSnapshot leaves out.
func describeNodesDropped(s *policy.Snapshot) []string {
	down, reserved, shared := 0, 0, 0
	for i := range s.Nodes {
		n := &s.Nodes[i]
		down += boolToInt(n.DownReason != "")
		reserved += boolToInt(len(n.Windows) > 0)
		shared += boolToInt(len(n.Partitions) > 1)
	}
	var remarks []string
	for _, r := range []struct {
		count int
		text  string
	}{
		{down, "down when last seen: %s, taken as up all the time"},
		{reserved, "with reservations when last seen: %s, taken as free of them"},
		{shared, "in other partitions too: %s, whose other jobs are not simulated"},
	} {
		if r.count > 0 {
			remarks = append(remarks, fmt.Sprintf(r.text, policy.FormatCount(r.count, "node")))
		}
	}
	return remarks
}

// askedGPUs is what the job of a run asks for.
func askedGPUs(r *bridge.PastRun) int { return cmp.Or(r.AskedGPUs, r.GPUs) }

// paceOf is how fast the job was in a run, relative to what it asks for, by what is known of its speed; nil: by what is
// assumed where nothing is known.
func paceOf(r *bridge.PastRun, known *policy.Scaling) float64 {
	asked := policy.GPUs{Count: askedGPUs(r)}
	if len(r.GPUTypes) == 1 {
		asked.Type = r.GPUTypes[0]
	}
	job := policy.Job{Ask: policy.Ask{GPUs: asked}, Scaling: cmp.Or(known, scaling.Assumed())}
	return scaling.PaceOn(&job, scaling.Size{Type: asked.Type, Devices: r.GPUs}).Speed
}

// scalingOf is what snapshots last knew of the speed of the job of a run; nil: nothing.
func (p *Past) scalingOf(r *bridge.PastRun) *policy.Scaling {
	if seen, ok := p.LastSeenJobs[r.Job]; ok && seen.Arrive.Equal(r.Arrive) {
		return seen.Scaling
	}
	return nil
}

// ranOnOtherSize reports whether a run of the job was on a number of GPUs of ours.
func (l *pastJob) ranOnOtherSize() bool {
	return slices.ContainsFunc(l.runGPUs, func(n int) bool { return n != l.GPUs })
}
