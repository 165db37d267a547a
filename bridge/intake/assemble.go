package intake

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Input is everything a snapshot is made from, as values.
type Input struct {
	View             *slurm.View
	Past             *bridge.Past
	MeasuredByNode   map[string][]policy.NodeDevices // measured devices per node; a node without a fresh sample is absent
	UseByJob         map[int64]bridge.JobUse         // what probes saw of single jobs
	Book             *ledger.IntentBook
	CycleSeq         uint64
	MemoJSON         []byte
	OptIn            bridge.OptIn
	StuckReasonByJob map[int64]string // why jobs are not counted on to start, by Slurm's id
	SiteGPUSpeeds    []policy.Speed   // Config.SiteGPUSpeeds

	ApartByJob map[int64][]policy.JobID // jobs that are not put on a GPU together again for some time

	ModeByPartition map[string]bridge.Mode // of all managed partitions: a job that may start in several has the weakest
	HasExpiryTimer  bool                   // something outside the daemon takes sizes back that are more than owners asked

	Budgets               *bridge.Budgets   // whom the gate never touches, what a restart is taken to cost; nil: nobody is exempt
	LeftAloneReasonByUser map[string]string // users whose jobs are left alone, and why
}

// AssembleSnapshot makes the snapshot of one partition. It is pure. Jobs of other
// partitions on the same nodes count as consumed capacity.
func AssembleSnapshot(k Input, p bridge.Partition) *policy.Snapshot {
	a := snapshotAssembler{Input: k, partition: p, gpuNodeByName: map[string]*slurm.Node{}}
	s := &policy.Snapshot{
		Cluster: k.View.Cluster, Seq: k.CycleSeq, Now: k.View.At.UTC(), Memo: policy.MemoFromJSON(k.MemoJSON),
	}
	if k.Past != nil {
		s.Accounts, s.Users, s.History = k.Past.Accounts, k.Past.Users, k.Past.FinishedJobs
		s.Speeds, s.PredictionTrust = k.Past.GPUSpeeds, k.Past.PredictionTrust
	}
	if k.Budgets != nil {
		s.RecallWithin = k.Budgets.Recall
	}
	s.DeadlineBudgets = p.DeadlineBudgets
	s.Speeds = combineSpeeds(s.Speeds, k.SiteGPUSpeeds)
	for i := range k.View.Nodes {
		n := &k.View.Nodes[i]
		if slices.Contains(n.Partitions, p.Name) && n.MentionsGPUs() {
			a.gpuNodeByName[n.Name] = n
		}
	}
	a.partitionTotals, a.clusterTotals = sumNodeTotals(k.View, p.Name)
	a.sharedGPUsByJob = holdersOfSharedGPUs(&a)
	a.shardDevicesByNode = listShardDevices(&a)
	jobs := make([]policy.Job, 0, len(k.View.Jobs)) // large records: growing would move them about
	for i := range k.View.Jobs {
		if j, ok := a.policyJob(&k.View.Jobs[i]); ok {
			jobs = append(jobs, j)
		}
	}
	if len(jobs) > 0 {
		s.Jobs = jobs
	}
	used, aside, others := sumUseByNode(s.Jobs), reservedWindowsByNode(k.View), a.otherUsesByNode()
	for _, name := range slices.Sorted(maps.Keys(a.gpuNodeByName)) {
		n := a.policyNode(a.gpuNodeByName[name], used[name])
		setReservedWindows(&n, a.gpuNodeByName[name].Flags, aside[name], s.Now)
		n.OtherUses = others[name]
		s.Nodes = append(s.Nodes, n)
	}
	a.keepThoseThatCouldNotRestart(s)
	s.Accounts, s.InferenceServices = withMissingAccounts(s), listServices(&a, s)
	return s
}

type snapshotAssembler struct {
	Input
	partition                      bridge.Partition
	gpuNodeByName                  map[string]*slurm.Node
	partitionTotals, clusterTotals nodeTotals // what the partition has, and the cluster
	sharedGPUsByJob                map[int64]sharedGPUs
	shardDevicesByNode             map[string][]policy.NodeDevices // see listShardDevices
}

// policyJob makes a policy's job of Slurm's; ok is false for jobs that are none of
// this partition's business.
func (a *snapshotAssembler) policyJob(j *slurm.Job) (policy.Job, bool) {
	demand, err := askWithSharedGPUs(a, j)
	mine := j.IsInPartition(a.partition.Name)
	switch {
	case j.IsDone() || j.ID == 0:
		return policy.Job{}, false
	case err == nil && demand.GPUs.Count == 0:
		return policy.Job{}, false
	case !mine && (!j.IsRunning() || !a.usesPartitionNodes(j)):
		return policy.Job{}, false
	}
	a.addOwnersSize(&demand, j)
	tooMuch := a.limitAsk(&demand, mine)
	d := &j.Directive // what of it does not count is told (IgnoredReason), and never fatal
	size, ignored := a.declaredSize(d, &demand, mine)
	ignored = joinReasons(joinReasons(ignored, a.limitSizes(&size, &demand, j)), ignoredIdleWord(a, j, mine))
	out := policy.Job{
		ID: policy.JobID(j.ID), SLUID: j.SLUID, Address: j.Address(), Name: j.Name, User: j.User, Account: j.Account,
		QOS: j.QOS, Partition: a.partition.Name, State: policy.Pending,
		Submit: j.Submit, Arrive: j.Submit, Limit: j.TimeLimit,
		StopCount: j.Restarts, CheckpointCost: d.CheckpointCost, Ask: demand, Tasks: j.TaskCount(),
		MinGPUs: size.MinGPUs, MaxGPUs: size.MaxGPUs, GPUTypes: size.GPUTypes, IgnoredReason: ignored,
		DependsOn: jobsWaitedFor(j), Class: d.Class, Shareable: d.Shareable, EligibleAt: a.eligibleAt(j),
	}
	addDeadline(&out, j)
	addReplica(a, &out, j, mine)
	a.addHistory(&out, j)
	if j.IsRunning() {
		a.addCurrentRun(&out, j, mine)
	} else {
		out.HeldReason = cmp.Or(heldReason(j, err), a.closedReason(j), tooMuch)
		out.StuckReason = a.StuckReasonByJob[j.ID]
		out.UnplaceableReason = a.View.UnplaceableReason(j)
		out.SlurmStartEstimate = j.Start
	}
	addLosses(&out, a.Past, a.UseByJob[j.ID].Loss)
	a.addScaling(&out)
	a.addRestartCost(&out)
	addLimitedSharing(a, &out, j)
	addPrediction(&out, a.Past)
	return out, true
}

// addPrediction adds what was learnt of how long such jobs run.
func addPrediction(out *policy.Job, past *bridge.Past) {
	if past != nil && past.PredictTimeLeft != nil {
		out.PredictedLeft, out.PredictedSigma = past.PredictTimeLeft(out)
	}
}

func (a *snapshotAssembler) usesPartitionNodes(j *slurm.Job) bool {
	return slices.ContainsFunc(j.Nodes.Names, func(h string) bool { return a.gpuNodeByName[h] != nil })
}

// addHistory adds what history knows, if it is about this job and not about an
// earlier owner of its id.
func (a *snapshotAssembler) addHistory(out *policy.Job, j *slurm.Job) {
	if a.Past == nil {
		return
	}
	past, ok := a.Past.PastByJob[j.ID]
	if !ok || past.Arrive.After(j.Submit) || (j.Restarts == 0 && !past.Arrive.Equal(j.Submit)) {
		return
	}
	out.Arrive, out.FirstStart, out.LastStop, out.Attained = past.Arrive, past.FirstStart, past.LastStop, past.Attained
}

// eligibleAt returns when the job may start as far as people and Slurm are
// concerned: a lease of ours does not count, the user's own begin does.
func (a *snapshotAssembler) eligibleAt(j *slurm.Job) time.Time {
	if j.IsRunning() || a.Book == nil {
		return time.Time{}
	}
	if in := a.Book.StandingIntent(j.CurrentRun(), slurm.FieldBeginTime, a.View.At); in != nil && actuator.ValueOwnerOf(in, j) == actuator.OwnerUs {
		return in.Before.Begin
	}
	return j.EligibleTime
}

func (a *snapshotAssembler) addCurrentRun(out *policy.Job, j *slurm.Job, mine bool) {
	out.State = policy.Running
	if j.State == "SUSPENDED" {
		out.State, out.Ask.CPUs = policy.Suspended, 0 // Slurm gives its cores to others meanwhile, not its memory and GPUs
	}
	out.Start = j.Start
	if out.FirstStart.IsZero() || out.FirstStart.After(j.Start) {
		out.FirstStart = j.Start
	}
	out.On = append(a.heldAlloc(j), a.sharedGPUsByJob[j.ID].on...)
	out.Ask.GPUs = narrowToHeldSlices(out.Ask.GPUs, out.On)
	out.Attained += policy.ServiceForTime(a.heldWholeGPUs(out, j), runTime(j, a.View.At))
	out.UnstoppableReason = a.unstoppableReason(j, mine)
	if len(out.On) == 0 && out.UnstoppableReason == "" {
		out.UnstoppableReason = "its nodes are not known"
	}
	a.addMeasuredUse(out)
}

// runTime returns how long the current run has lasted, suspensions taken off.
func runTime(j *slurm.Job, now time.Time) time.Duration {
	if j.Start.IsZero() || j.Start.After(now) {
		return 0
	}
	before, since := j.RunStretch()
	if since.IsZero() {
		return before
	}
	return before + now.Sub(since)
}

// unstoppableReason says why the job must not be stopped; "" when it may.
func (a *snapshotAssembler) unstoppableReason(j *slurm.Job, mine bool) string {
	switch {
	case j.UntrustedReason != "":
		return "its record cannot be read: " + j.UntrustedReason
	case len(a.sharedGPUsByJob[j.ID].on) > 0 && !a.sharedGPUsByJob[j.ID].isKnown:
		return "it holds shares of a GPU, which are not scheduled here"
	case !mine:
		return "it belongs to partition " + j.PartitionText()
	case !a.partition.PlanMode().Allows("preempt"):
		return "this partition is not in preempt mode"
	case j.HasFlag("COMPLETING"):
		return "it is ending"
	case j.WasSeenPreempted():
		return "Slurm is preempting it"
	case j.State != "RUNNING":
		return "it is " + strings.ToLower(j.State)
	case !j.IsBatch || !j.Requeue:
		return "it cannot be requeued (sbatch --requeue)"
	case !j.ResizeTime.IsZero() && mergesRunsAfterResize(a.View.Release):
		return "its node list was changed while it ran: Slurm " + a.View.Release + " would record its wait after a requeue as running"
	case j.HetJobID != 0:
		return "it is part of a heterogeneous job"
	case j.Reservation != "":
		return "it runs in reservation " + j.Reservation
	case !a.OptIn.Accepts(j):
		return "its owner did not opt in (--comment=fairbridge:preemptible)"
	}
	return a.leftAloneReason(j) // else others are stopped beside it, and it runs on
}

// ignoredIdleWord says why it does not count that the job may be requeued when its GPUs do no work; "" when it may count.
func ignoredIdleWord(a *snapshotAssembler, j *slurm.Job, mine bool) string {
	switch d := &j.Directive; {
	case !d.RequeueIdle || !mine:
		return ""
	case a.partition.StopIdleAfter <= 0:
		return "idle=requeue does not count: partition " + a.partition.Name + " stops no job because its GPUs do no work"
	case d.Service != "":
		return "idle=requeue does not count: a replica of a service may wait for requests"
	case !a.OptIn.Accepts(j):
		return "idle=requeue does not count: it may not be requeued at all (preemptible)"
	case !j.IsBatch || !j.Requeue:
		return "idle=requeue does not count: it cannot be requeued (sbatch --requeue)"
	}
	return ""
}

// mergesRunsAfterResize reports whether a release writes all runs of a job, and the waits
// between them, into one record from the moment it was resized on. 22.05 does, 24.11 and
// 26.05 do not; of those between nothing is known.
func mergesRunsAfterResize(release string) bool { return release < "24.11" }

// withMissingAccounts adds the accounts of jobs that history does not know yet, so
// that every job's account is in the snapshot.
func withMissingAccounts(s *policy.Snapshot) []policy.Account {
	have := map[string]bool{}
	accounts := slices.Clone(s.Accounts)
	for _, a := range accounts {
		have[a.Name] = true
	}
	for i := range s.Jobs {
		if name := s.Jobs[i].Account; !have[name] {
			have[name] = true
			accounts = append(accounts, policy.Account{Name: name, Weight: 1})
		}
	}
	slices.SortFunc(accounts, func(x, y policy.Account) int { return cmp.Compare(x.Name, y.Name) })
	return accounts
}
