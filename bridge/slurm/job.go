package slurm

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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
func (r Run) String() string { return r.TextOf(strconv.FormatInt(r.Job, 10)) }

// TextOf prints the run with its job as squeue writes that: "47_4 (restart 1)".
func (r Run) TextOf(label string) string {
	if r.Restarts == 0 {
		return label
	}
	return fmt.Sprintf("%s (restart %d)", label, r.Restarts)
}

// IsSameRun reports whether both are the same run, by SLUID where both have one.
func (r Run) IsSameRun(o Run) bool {
	if r.SLUID != "" && o.SLUID != "" {
		return r.SLUID == o.SLUID && r.Job == o.Job
	}
	return r.Job == o.Job && r.Submit == o.Submit && r.Restarts == o.Restarts
}

// Job is one job record of Slurm, decoded from any API version. Times that are
// absent or "none" are zero. Strings are cleaned of control characters and
// bounded.
type Job struct {
	ID                       int64
	SLUID                    string // v0.0.44 and later
	Name                     string
	User                     string
	UserID                   int64
	Account                  string
	QOS                      string
	Partitions               []string // several while pending; one that runs has one
	Cluster                  string
	State                    string   // base state: PENDING, RUNNING, …
	Flags                    []string // state flags: COMPLETING, REQUEUED, … sorted
	Reason                   string   // state_reason
	ReasonText               string   // state_description
	Submit                   time.Time
	EligibleTime, AccrueTime time.Time
	Start, End               time.Time
	PreemptTime              time.Time     // preempt_time: when Slurm began to preempt the run
	ResizeTime               time.Time     `json:",omitzero"` // resize_time: of the last change of its size; no requeue clears it
	SuspendTime              time.Time     // suspend_time
	PreSuspendTime           time.Duration // run time before the last suspension
	Deadline                 time.Time
	TimeLimit                time.Duration // 0: none or unlimited
	Priority                 int64
	Nice                     int64
	IsNiceKnown              bool  // 22.05 shows nice only above 0
	SiteFactor               int64 `json:",omitempty"`
	IsSiteFactorKnown        bool  `json:",omitempty"` // no record shows it, sprio does: of waiting jobs that may start
	IsPriorityUndone         bool  `json:",omitempty"` // Slurm orders it by an older priority than its factors make, see AddPriorities of package live
	IsHeld                   bool  // priority 0
	Restarts                 int
	Requeue                  bool // the job may be requeued
	IsBatch                  bool
	Comment, Extra           string
	AdminComment             string    // admin_comment
	MailUser                 string    `json:",omitempty"` // mail_user: whom Slurm mails, as the owner said; "": not said
	Directive                Directive // in Comment and Extra
	Nodes                    Hosts     // allocated
	RequiredNodes            Hosts     // required_nodes
	ExcludedNodes            Hosts     // excluded_nodes
	ScheduledNodes           Hosts     // backfill's planned nodes
	NodeCount                int
	MaxNodes                 int
	ProcessCount             int // processes it starts at first (sbatch -n), at least one on each of its nodes; 0: not told
	CPUs                     int
	MinCPUsPerNode           int        `json:",omitempty"` // sbatch --mincpus, or what else sets it; 0: not told, or one
	MemPerNodeMB             int64      // megabytes; 0: not given
	MemPerCPUMB              int64      // megabytes; 0: not given
	RequestedTRES            TRES       // tres_req_str
	AllocatedTRES            TRES       // tres_alloc_str
	GresPerNode              GRESList   // tres_per_node
	GresPerJob               GRESList   // tres_per_job
	GresPerTask              GRESList   // tres_per_task
	CPUsPerGRES              string     `json:",omitempty"` // cpus_per_tres: cores it wants with each GPU (sbatch --cpus-per-gpu)
	GresDetail               []GRESList // gres_detail: one item for each of Nodes, running jobs only
	Features                 Features
	Dependency               Dependency
	Reservation              string
	Cron                     string
	FederationOrigin         string // federation_origin
	Exclusive                bool
	Licenses                 string // licenses it asks for or holds

	ArrayJobID    int64      // 0: not an array
	ArrayTaskID   int64      // valid when IsArrayTask
	IsArrayTask   bool       // the record is one task of an array
	ArrayTasks    ArrayTasks // array_task_string of an unsplit record
	ArrayMaxTasks int        // most tasks at once; 0: no limit
	HetJobID      int64      // 0: not heterogeneous
	HetJobOffset  int

	// UnusualRequest names a field of the request, such as required_switches, by which the job needs nodes of a
	// kind that fairbridge does not understand; "" when there is none.
	UnusualRequest string `json:",omitempty"`

	UntrustedReason string // why the record cannot be trusted; "" when it can. Such a job is never touched.
}

// CurrentRun returns the identity of the job's current run.
func (j *Job) CurrentRun() Run {
	return Run{Job: j.ID, Submit: unixSeconds(j.Submit), Restarts: j.Restarts, SLUID: j.SLUID}
}

// PartitionText returns the names of the job's partitions as Slurm writes them.
func (j *Job) PartitionText() string { return strings.Join(j.Partitions, ",") }

// IsInPartition reports whether the job is of the partition, perhaps among others.
func (j *Job) IsInPartition(partition string) bool { return slices.Contains(j.Partitions, partition) }

// IsPending reports whether the job waits. A job that was just requeued is shown
// pending while its last run still ends; that is not waiting yet.
func (j *Job) IsPending() bool { return j.State == "PENDING" && !j.HasFlag("COMPLETING") }

// RunStretch returns how long the run ran before its last suspension, and since when it has run: from its
// start if it was never suspended, zero while it is suspended. A run that Slurm suspended in the second of its
// start ran for nothing before.
func (j *Job) RunStretch() (before time.Duration, since time.Time) {
	switch {
	case j.State == "SUSPENDED":
		return j.PreSuspendTime, time.Time{}
	case j.SuspendTime.After(j.Start):
		return j.PreSuspendTime, j.SuspendTime
	}
	return 0, j.Start
}

// IsRunning reports whether the job holds its allocation, suspended or
// completing included.
func (j *Job) IsRunning() bool {
	return j.State == "RUNNING" || j.State == "SUSPENDED" || j.HasFlag("COMPLETING")
}

// WasSeenPreempted reports whether Slurm, when the job was read, had told the run to end for
// another job; the run may go on for the grace time of its QOS or partition. That it had stays
// true until the run ends. That it had not may be old, unless the view is a WholeList.
func (j *Job) WasSeenPreempted() bool {
	return j.IsRunning() && !j.PreemptTime.IsZero() && !j.PreemptTime.Before(j.Start)
}

// IsDone reports whether the job has ended for good.
func (j *Job) IsDone() bool { return !j.IsPending() && !j.IsRunning() }

// HasFlag reports whether the state carries the flag.
func (j *Job) HasFlag(name string) bool {
	for _, f := range j.Flags {
		if f == name {
			return true
		}
	}
	return false
}

// IsUnsplitArray reports whether the record stands for the pending tasks of an array.
func (j *Job) IsUnsplitArray() bool { return j.ArrayJobID != 0 && !j.IsArrayTask }

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
	if !j.IsArrayTask {
		return ""
	}
	return fmt.Sprintf("%d_%d", j.ArrayJobID, j.ArrayTaskID)
}

// maxTaskListLength is how much of an array's list of tasks an address shows.
const maxTaskListLength = 24

// Address returns the job as squeue writes it where that is not its id: "47_4" for a task of
// an array, "47_[5-9]" for those that wait unsplit, "7+1" for a component of a heterogeneous
// job; "" for other jobs.
func (j *Job) Address() string {
	switch {
	case j.IsArrayTask:
		return j.TaskAddress()
	case j.IsUnsplitArray():
		tasks := j.ArrayTasks.Text
		if len(tasks) > maxTaskListLength {
			tasks = tasks[:maxTaskListLength] + "..."
		}
		return fmt.Sprintf("%d_[%s]", j.ArrayJobID, tasks)
	case j.HetJobID != 0:
		return fmt.Sprintf("%d+%d", j.HetJobID, j.HetJobOffset)
	}
	return ""
}

// Label returns the job as squeue writes it: its address, else its id.
func (j *Job) Label() string { return cmp.Or(j.Address(), strconv.FormatInt(j.ID, 10)) }

func unixSeconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// Reservation is one reservation record of Slurm: nodes, or a part of them, that
// are set aside for some time, for maintenance or for some people.
type Reservation struct {
	Name         string
	Nodes        Hosts     // none where only licences are reserved
	Start        time.Time // zero: it has begun
	End          time.Time // zero: without end
	Flags        []string  // MAINT, IGNORE_JOBS, DAILY, … sorted; an open set
	CoreCount    int       // physical cores; 0: not known
	NodeCount    int
	TRES         TRES // "cpu=64,gres/gpu=8": over all nodes
	Users        []string
	Accounts     []string
	Groups       []string
	Partition    string // whose nodes it has, where it was made so
	Licenses     string
	UnreadReason string // what in the record cannot be read; "": all can
}

// HasFlag reports whether the reservation has the flag.
func (r *Reservation) HasFlag(name string) bool { return slices.Contains(r.Flags, name) }

// IsMaintenance reports whether no job may run there but those of the
// reservation itself.
func (r *Reservation) IsMaintenance() bool { return r.HasFlag("MAINT") }

// NextOccurrence returns the time after the given one at which the reservation recurs; ok
// is false when it does not. Slurm counts days by the calendar of its host: a
// change to summer time is an hour's difference that is not seen here.
func (r *Reservation) NextOccurrence(start, end time.Time) (from, to time.Time, ok bool) {
	by := r.recurrenceInterval(start)
	if by == 0 || end.IsZero() {
		return start, end, false
	}
	return start.Add(by), end.Add(by), true
}

// recurrenceInterval returns how long after start the reservation begins again; 0: never.
func (r *Reservation) recurrenceInterval(start time.Time) time.Duration {
	const day = 24 * time.Hour
	switch weekday := start.Weekday(); {
	case r.HasFlag("HOURLY"):
		return time.Hour
	case r.HasFlag("DAILY"):
		return day
	case r.HasFlag("WEEKLY"):
		return 7 * day
	case r.HasFlag("WEEKDAY") && weekday == time.Friday:
		return 3 * day
	case r.HasFlag("WEEKDAY") && weekday == time.Saturday, r.HasFlag("WEEKEND") && weekday == time.Friday:
		return 2 * day
	case r.HasFlag("WEEKDAY"), r.HasFlag("WEEKEND") && weekday == time.Saturday:
		return day
	case r.HasFlag("WEEKEND"):
		return time.Duration(6-int(weekday)) * day
	}
	return 0
}
