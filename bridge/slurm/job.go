package slurm

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Run is the identity of one run of one job. Slurm reuses job ids and restarts
// jobs under the same id; an edit is meant for exactly one run.
type Run struct {
	Job      int64  `json:"job"`
	Submit   int64  `json:"submit"` // seconds since 1970; a requeue changes it
	Restarts int    `json:"restarts"`
	SLUID    string `json:"sluid,omitempty"` // 26.05: the only compare-and-set Slurm offers
}

// String prints "123 (restart 1)".
func (r Run) String() string {
	if r.Restarts == 0 {
		return fmt.Sprint(r.Job)
	}
	return fmt.Sprintf("%d (restart %d)", r.Job, r.Restarts)
}

// SameRun reports whether both are the same run, by SLUID where both have one.
func (r Run) SameRun(o Run) bool {
	if r.SLUID != "" && o.SLUID != "" {
		return r.SLUID == o.SLUID && r.Job == o.Job
	}
	return r.Job == o.Job && r.Submit == o.Submit && r.Restarts == o.Restarts
}

// Job is one job record of Slurm, decoded from any API version. Times that are
// absent or "none" are zero. Strings are cleaned of control characters and
// bounded.
type Job struct {
	ID          int64
	SLUID       string // v0.0.44 and later
	Name        string
	User        string
	UserID      int64
	Account     string
	QOS         string
	Partitions  []string // several while pending; one that runs has one
	Cluster     string
	State       string   // base state: PENDING, RUNNING, …
	Flags       []string // state flags: COMPLETING, REQUEUED, … sorted
	Reason      string   // state_reason
	ReasonText  string   // state_description
	Submit      time.Time
	Eligible    time.Time
	Accrue      time.Time
	Start       time.Time
	End         time.Time
	Suspended   time.Time     // suspend_time
	PreSuspend  time.Duration // run time before the last suspension
	Deadline    time.Time
	Limit       time.Duration // 0: none or unlimited
	Priority    int64
	Nice        int64
	NiceKnown   bool // 22.05 shows nice only above 0
	Held        bool // priority 0
	Restarts    int
	Requeue     bool // the job may be requeued
	Batch       bool
	Comment     string
	Extra       string
	Admin       string    // admin_comment
	Directive   Directive // in Comment and Extra
	Nodes       Hosts     // allocated
	Required    Hosts     // required_nodes
	Excluded    Hosts     // excluded_nodes
	Scheduled   Hosts     // backfill's planned nodes
	NodeCount   int
	MaxNodes    int
	CPUs        int
	MemPerNode  int64      // megabytes; 0: not given
	MemPerCPU   int64      // megabytes; 0: not given
	Request     TRES       // tres_req_str
	Allocated   TRES       // tres_alloc_str
	PerNode     GRESList   // tres_per_node
	PerJob      GRESList   // tres_per_job
	PerTask     GRESList   // tres_per_task
	Gres        []GRESList // gres_detail: one item for each of Nodes, running jobs only
	Features    Features
	Dependency  Dependency
	Reservation string
	Cron        string
	Federation  string // federation_origin
	Exclusive   bool

	ArrayJob   int64 // 0: not an array
	ArrayTask  int64 // valid when ArraySplit
	ArraySplit bool  // the record is one task of an array
	ArrayTasks Tasks // array_task_string of an unsplit record
	ArrayMax   int   // most tasks at once; 0: no limit
	HetJob     int64 // 0: not heterogeneous
	HetOffset  int

	Opaque string // why the record cannot be trusted; "" when it can. Such a job is never touched.
}

// Run returns the identity of the job's current run.
func (j *Job) Run() Run {
	return Run{Job: j.ID, Submit: unixSeconds(j.Submit), Restarts: j.Restarts, SLUID: j.SLUID}
}

// Partition returns the names of the job's partitions as Slurm writes them.
func (j *Job) Partition() string { return strings.Join(j.Partitions, ",") }

// InPartition reports whether the job is of the partition, perhaps among others.
func (j *Job) InPartition(partition string) bool { return slices.Contains(j.Partitions, partition) }

// Pending reports whether the job waits. A job that was just requeued is shown
// pending while its last run still ends; that is not waiting yet.
func (j *Job) Pending() bool { return j.State == "PENDING" && !j.Flag("COMPLETING") }

// Running reports whether the job holds its allocation, suspended or
// completing included.
func (j *Job) Running() bool {
	return j.State == "RUNNING" || j.State == "SUSPENDED" || j.Flag("COMPLETING")
}

// IsDone reports whether the job has ended for good.
func (j *Job) IsDone() bool { return !j.Pending() && !j.Running() }

// Flag reports whether the state carries the flag.
func (j *Job) Flag(name string) bool {
	for _, f := range j.Flags {
		if f == name {
			return true
		}
	}
	return false
}

// IsUnsplitArray reports whether the record stands for the pending tasks of an array.
func (j *Job) IsUnsplitArray() bool { return j.ArrayJob != 0 && !j.ArraySplit }

// TaskCount returns how many tasks the record stands for; 1 where that cannot be
// read.
func (j *Job) TaskCount() int {
	if !j.IsUnsplitArray() {
		return 1
	}
	return max(j.ArrayTasks.Count, 1)
}

// TaskAddress returns the only name, such as "47_4", by which Slurm requeues one
// task of an array and not the rest; "" for other jobs.
func (j *Job) TaskAddress() string {
	if !j.ArraySplit {
		return ""
	}
	return fmt.Sprintf("%d_%d", j.ArrayJob, j.ArrayTask)
}

func unixSeconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
