package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim/reader"
	"fairbridge/replica/sim/users"
)

// jobRecords shows the job records as Slurm does.
type jobRecords struct {
	*daemon
	users  users.List
	jobs   *jobTable
	reader *reader.Reader
}

// Jobs returns every listed job as Slurm shows it, by id.
func (r *jobRecords) Jobs() []slurm.Job {
	out := make([]slurm.Job, len(r.jobs.sortedJobs))
	for i, j := range r.jobs.sortedJobs {
		out[i] = r.showJob(j)
	}
	return out
}

// Job returns one listed job; the error is Slurm's 2017 when there is none.
func (r *jobRecords) Job(id int64) (slurm.Job, error) {
	j, err := r.jobs.jobByID(id)
	if err != nil {
		return slurm.Job{}, err
	}
	return r.showJob(j), nil
}

// TrueTimeLeft returns how long a job still runs, or would if it began on what it asks
// for; 0 for one that has ended or is not known. Slurm knows no such thing.
func (r *jobRecords) TrueTimeLeft(id int64) time.Duration {
	j, err := r.jobs.jobByID(id)
	switch {
	case err != nil || j.isDone():
		return 0
	case j.state == statePending:
		return j.program.WorkTimeLeft()
	}
	typ, n := j.slots.BusyGPUs()
	length, _ := j.program.RunTime(typ, n, len(j.slots), j.spec.TimeLimit)
	return max(j.exactStart.Add(length).Sub(r.Now()), 0)
}

// HasEnded reports whether a job has ended, or is not known.
func (r *jobRecords) HasEnded(id int64) bool {
	j, err := r.jobs.jobByID(id)
	return err != nil || j.isDone()
}

// siteFactor returns the site factor of a job as sprio shows it; ok is false for those that do
// not wait, may not start yet, or whose priority Slurm does not compute.
func (r *jobRecords) siteFactor(id int64) (factor int64, ok bool) {
	j, err := r.jobs.jobByID(id)
	if err != nil || j.state != statePending || j.isHeld() || j.hasDirectPriority || j.priority <= 1 || j.beginTime.After(r.Now()) {
		return 0, false
	}
	return j.siteFactor, true
}

// JobBySLUID returns the job whose current run has the SLUID.
func (r *jobRecords) JobBySLUID(sluid string) (slurm.Job, error) {
	for _, j := range r.jobs.sortedJobs {
		if j.sluid == sluid {
			return r.showJob(j), nil
		}
	}
	return slurm.Job{}, newSlurmError(ErrnoNoSuchJob, "Invalid job id specified")
}

func (r *jobRecords) showJob(j *job) slurm.Job {
	s := &j.spec
	out := slurm.Job{
		ID: j.id, SLUID: j.sluid, Name: s.Name, User: s.User, UserID: r.users.ID(s.User), Account: s.Account,
		QOS: s.QOS, Partitions: strings.Split(s.Partition, ","), Cluster: r.config.ClusterName, State: j.state, Reason: j.reason,
		Submit: j.submitTime, AccrueTime: j.accrueTime, Start: j.startTime, End: j.endTime, Deadline: s.Deadline, TimeLimit: s.TimeLimit,
		Priority: j.priority, Nice: s.Nice, IsNiceKnown: !r.config.is2205() || s.Nice > 0, IsHeld: j.isHeld(), Restarts: j.restartCount,
		Requeue: !s.NoRequeue, IsBatch: true, Comment: s.Comment, Extra: s.Extra, AdminComment: j.adminComment, Directive: r.reader.ReadDirective(s.Comment, s.Extra),
		Nodes: slurm.HostsFromNames(j.hostNames()), RequiredNodes: slurm.ReadHosts(strings.Join(s.RequiredNodes, ",")),
		ExcludedNodes: slurm.ReadHosts(strings.Join(s.ExcludedNodes, ",")), ScheduledNodes: slurm.HostsFromNames(j.expectedSlots.NodeNames()),
		NodeCount: max(s.MinNodes, len(j.slots)), CPUs: s.CPUsPerNode * max(s.MinNodes, len(j.slots)), MemPerNodeMB: s.MemMBPerNode, MemPerCPUMB: j.memMBPerCPU,
		MaxNodes: s.MinNodes, ProcessCount: max(s.MinNodes, len(j.slots)), RequestedTRES: r.reader.ReadTRESRequest(j.tresRequest()), AllocatedTRES: r.reader.ReadTRES(j.allocatedTRES()), GresDetail: slurm.ReadGRESDetail(j.gresDetail()), Features: slurm.ReadFeatures(s.Features),
		Exclusive: s.Exclusive, ArrayJobID: j.arrayID, ArrayTasks: slurm.ReadArrayTasks(j.formatPendingTasks()), ArrayMaxTasks: s.ArrayMaxRunning, Reservation: s.Reservation,
	}
	if s.GPUsPerNode > 0 {
		out.GresPerNode = r.reader.ReadGRESRequest("gres/gpu" + typeSuffix(":", s.GPUType) + ":" + strconv.Itoa(s.GPUsPerNode))
	}
	if s.Shards > 0 {
		out.GresPerNode = r.reader.ReadGRESRequest("gres/shard:" + strconv.Itoa(s.Shards))
	}
	if s.GPUs > 0 {
		out.GresPerJob = r.reader.ReadGRESRequest("gres/gpu" + typeSuffix(":", s.GPUType) + ":" + strconv.Itoa(s.GPUs))
	}
	if j.arrayID != 0 && !j.isUnsplit() {
		out.IsArrayTask, out.ArrayTaskID = true, j.taskID
	}
	if j.isCompleting {
		out.Flags = []string{"COMPLETING"}
	}
	r.fillTimes(j, &out)
	return out
}

// fillTimes adds what depends on the state.
func (r *jobRecords) fillTimes(j *job, out *slurm.Job) {
	if j.isHeld() {
		out.Priority = 0
	}
	if j.state == stateRunning {
		out.Partitions, out.EligibleTime = []string{j.partition.Name}, laterTime(j.submitTime, j.beginTime)
		if j.spec.TimeLimit > 0 {
			out.End = j.startTime.Add(j.spec.TimeLimit)
		}
		return
	}
	if j.state != statePending {
		out.EligibleTime = laterTime(j.submitTime, j.beginTime)
		return
	}
	if r.jobs.dependencyReason(j) != "" {
		out.Dependency = slurm.ReadDependency(strings.ReplaceAll(j.spec.Dependency, ",", "(unfulfilled),") + "(unfulfilled)")
	}
	switch {
	case !j.beginTime.IsZero():
		out.EligibleTime = j.beginTime
	case out.Dependency.Text == "" && !j.isHeld():
		out.EligibleTime = j.submitTime
	}
	out.Start = j.expectedStart
	if j.beginTime.After(r.Now()) {
		out.Start = j.beginTime
	}
	if !out.Start.IsZero() && j.spec.TimeLimit > 0 {
		out.End = out.Start.Add(j.spec.TimeLimit)
	}
}

func laterTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// tresRequest is what tres_req_str lists of one task.
func (j *job) tresRequest() reader.TRESRequest {
	s := &j.spec
	return reader.TRESRequest{CPUCount: s.CPUsPerNode * s.MinNodes, NodeCount: s.MinNodes, GPUCount: j.gpuCount(), MemMB: j.memoryMB() * int64(s.MinNodes), GPUType: s.GPUType}
}

// allocatedTRES is tres_alloc_str.
func (j *job) allocatedTRES() string {
	if len(j.slots) == 0 || j.state == statePending {
		return ""
	}
	return j.slots.FormatTRES()
}

// gresDetail is gres_detail: one item per node, in the order of the nodes.
func (j *job) gresDetail() []string {
	if j.state != stateRunning {
		return nil
	}
	return j.slots.FormatGres()
}

func typeSuffix(sep, t string) string {
	if t == "" {
		return ""
	}
	return sep + t
}

// formatPendingTasks prints the pending tasks as Slurm does: "0-3,5-9%2".
func (j *job) formatPendingTasks() string {
	if !j.isUnsplit() {
		return ""
	}
	var parts []string
	for i := 0; i < len(j.pendingTasks); {
		k := i
		for k+1 < len(j.pendingTasks) && j.pendingTasks[k+1] == j.pendingTasks[k]+1 {
			k++
		}
		if k == i {
			parts = append(parts, strconv.FormatInt(j.pendingTasks[i], 10))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", j.pendingTasks[i], j.pendingTasks[k]))
		}
		i = k + 1
	}
	s := strings.Join(parts, ",")
	if j.spec.ArrayMaxRunning > 0 {
		s += "%" + strconv.Itoa(j.spec.ArrayMaxRunning)
	}
	return s
}
