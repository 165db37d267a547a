package storetest

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// ClusterName names the cluster that is written about.
const ClusterName = "c1"

// StartTime is when the tests happen.
var StartTime = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

// AtSecond returns the time some seconds after StartTime.
func AtSecond(n int) time.Time { return StartTime.Add(time.Duration(n) * time.Second) }

// NewCycle makes a cycle whose snapshot has the digest.
func NewCycle(seq uint64, epoch int64, digest string) *bridge.Cycle {
	return &bridge.Cycle{
		Cluster: ClusterName, Seq: seq, Epoch: epoch, At: StartTime.Add(time.Duration(seq) * time.Minute), Partition: "gpu", Mode: bridge.ModeRank,
		Policy: "fifo", Params: "{}", Snapshot: []byte(`{"seq":1}`), SnapshotDigest: digest, StepTimes: map[string]string{"decide": "1ms"},
		Plan: &policy.Plan{SnapshotSeq: seq, Policy: "fifo", Memo: policy.MemoFromJSON([]byte(`{"b":1, "a":[2]}`))},
	}
}

// NewCycleOfWaitingJobs makes a cycle whose plan has n waiting jobs.
func NewCycleOfWaitingJobs(seq uint64, epoch int64, n int) *bridge.Cycle {
	c := NewCycle(seq, epoch, "d1")
	for i := range n {
		c.Plan.Decisions = append(c.Plan.Decisions, policy.Decision{Job: policy.JobID(i + 1), Verb: policy.Wait, Rank: i + 1, GPUs: 1, Why: "3 jobs are ahead, the first with 12.50 GPU-h less used"})
	}
	return c
}

// NewLeaseIntent makes an intent for the begin time of a waiting job.
func NewLeaseIntent(job, epoch int64) bridge.Intent {
	return bridge.Intent{
		Cluster: ClusterName, Epoch: epoch, Policy: "fifo", State: bridge.IntentPlanned, Made: StartTime, NotAfter: StartTime.Add(10 * time.Minute),
		Edit:   slurm.Edit{Run: slurm.Run{Job: job, Submit: StartTime.Unix(), SLUID: "s1"}, Kind: slurm.EditLease, Until: StartTime.Add(10 * time.Minute), Tasks: 1, Why: "others are ahead"},
		Before: bridge.JobBefore{Eligible: StartTime, Begin: StartTime.Add(-time.Minute), Priority: 4294901759, Nice: -5, Required: slurm.ReadHosts("n[1-2]"), OurValue: 7, State: "PENDING"},
	}
}

// NewView makes a view of what Slurm shows at a time.
func NewView(at time.Time, jobs ...slurm.Job) *slurm.View {
	return &slurm.View{Cluster: ClusterName, Release: "26.05.5", APIVersion: "v0.0.45", At: at, IsFullRead: true, Jobs: jobs}
}

// NewRunningJob makes a job that runs on 4 GPUs of n1 since start.
func NewRunningJob(id int64, submit, start time.Time) slurm.Job {
	return slurm.Job{
		ID: id, Name: "train", User: "ann", Account: "phys", Partitions: []string{"gpu"}, State: "RUNNING", Submit: submit, Start: start,
		TimeLimit: time.Hour, Nodes: slurm.ReadHosts("n1"), GresDetail: slurm.ReadGRESDetail([]string{"gpu:a100:4(IDX:0-3)"}), AllocatedTRES: slurm.ReadTRES("cpu=8,gres/gpu=4,gres/gpu:a100=4"), IsBatch: true, Requeue: true,
	}
}

// ChangeJob returns the job, changed.
func ChangeJob(j slurm.Job, f func(*slurm.Job)) slurm.Job {
	f(&j)
	return j
}
