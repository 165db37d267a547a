package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/sim/inventory"
	"fairbridge/bridge/slurm"
)

// records shows the job records as Slurm does.
type records struct {
	*daemon
	users users
	jobs  *jobTable
}

// Jobs returns every listed job as Slurm shows it, by id.
func (r *records) Jobs() []slurm.Job {
	out := make([]slurm.Job, len(r.jobs.list))
	for i, j := range r.jobs.list {
		out[i] = r.showJob(j)
	}
	return out
}

// Job returns one listed job; the error is Slurm's 2017 when there is none.
func (r *records) Job(id int64) (slurm.Job, error) {
	j, err := r.jobs.job(id)
	if err != nil {
		return slurm.Job{}, err
	}
	return r.showJob(j), nil
}

// ByRun returns the job whose current run has the SLUID.
func (r *records) ByRun(sluid string) (slurm.Job, error) {
	for _, j := range r.jobs.list {
		if j.sluid == sluid {
			return r.showJob(j), nil
		}
	}
	return slurm.Job{}, newError(ErrnoNoSuchJob, "Invalid job id specified")
}

func (r *records) showJob(j *job) slurm.Job {
	s := &j.spec
	out := slurm.Job{
		ID: j.id, SLUID: j.sluid, Name: s.Name, User: s.User, UserID: r.users.userID(s.User), Account: s.Account,
		QOS: s.QOS, Partitions: strings.Split(s.Partition, ","), Cluster: r.cfg.Cluster, State: j.state, Reason: j.reason,
		Submit: j.submit, Accrue: j.accrue, Start: j.start, End: j.end, Deadline: s.Deadline, TimeLimit: s.Limit,
		Priority: j.priority, Nice: s.Nice, IsNiceKnown: !r.cfg.is2205() || s.Nice > 0, IsHeld: j.isHeld(), Restarts: j.restarts,
		Requeue: !s.NoRequeue, IsBatch: true, Comment: s.Comment, Extra: s.Extra, AdminComment: j.adminComment, Directive: slurm.ReadDirective(s.Comment, s.Extra),
		Nodes: slurm.HostsFromNames(j.hostNames()), RequiredNodes: slurm.ReadHosts(strings.Join(s.Required, ",")),
		ExcludedNodes: slurm.ReadHosts(strings.Join(s.Excluded, ",")), ScheduledNodes: slurm.HostsFromNames(j.expectedSlots.Nodes()),
		NodeCount: max(s.Nodes, len(j.slots)), CPUs: s.CPUs * max(s.Nodes, len(j.slots)), MemPerNodeMB: s.MemMB, MemPerCPUMB: j.memMBPerCPU,
		MaxNodes: s.Nodes, RequestedTRES: slurm.ReadTRES(j.requestTRES()), AllocatedTRES: slurm.ReadTRES(j.allocatedTRES()), GresDetail: slurm.ReadGRESDetail(j.gresDetail()), Features: slurm.ReadFeatures(s.Features),
		Exclusive: s.Exclusive, ArrayJobID: j.array, ArrayTasks: slurm.ReadArrayTasks(j.formatTasks()), ArrayMaxTasks: s.ArrayMax, Reservation: s.Reservation,
	}
	if s.GPUsPerNode > 0 {
		out.GresPerNode = slurm.ReadGRESRequest("gres/gpu" + withType(":", s.GPUType) + ":" + strconv.Itoa(s.GPUsPerNode))
	}
	if s.GPUs > 0 {
		out.GresPerJob = slurm.ReadGRESRequest("gres/gpu" + withType(":", s.GPUType) + ":" + strconv.Itoa(s.GPUs))
	}
	if j.array != 0 && !j.isUnsplit() {
		out.IsArrayTask, out.ArrayTaskID = true, j.task
	}
	if j.completing {
		out.Flags = []string{"COMPLETING"}
	}
	r.showTimes(j, &out)
	return out
}

// showTimes adds what depends on the state.
func (r *records) showTimes(j *job, out *slurm.Job) {
	if j.isHeld() {
		out.Priority = 0
	}
	if j.state == running {
		out.Partitions, out.Eligible = []string{j.partition.Name}, latestOf(j.submit, j.begin)
		if j.spec.Limit > 0 {
			out.End = j.start.Add(j.spec.Limit)
		}
		return
	}
	if j.state != pending {
		out.Eligible = latestOf(j.submit, j.begin)
		return
	}
	if r.jobs.dependencyReason(j) != "" {
		out.Dependency = slurm.ReadDependency(strings.ReplaceAll(j.spec.Dependency, ",", "(unfulfilled),") + "(unfulfilled)")
	}
	switch {
	case !j.begin.IsZero():
		out.Eligible = j.begin
	case out.Dependency.Text == "" && !j.isHeld():
		out.Eligible = j.submit
	}
	out.Start = j.expectedStart
	if j.begin.After(r.Now()) {
		out.Start = j.begin
	}
	if !out.Start.IsZero() && j.spec.Limit > 0 {
		out.End = out.Start.Add(j.spec.Limit)
	}
}

func latestOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// requestTRES is tres_req_str of one task.
func (j *job) requestTRES() string {
	s := &j.spec
	out := inventory.TRES(s.CPUs*s.Nodes, j.memoryMB()*int64(s.Nodes), s.Nodes)
	if g := j.gpuCount(); g > 0 {
		out += fmt.Sprintf(",gres/gpu=%d", g)
		if s.GPUType != "" {
			out += fmt.Sprintf(",gres/gpu:%s=%d", s.GPUType, g)
		}
	}
	return out
}

// allocatedTRES is tres_alloc_str.
func (j *job) allocatedTRES() string {
	if len(j.slots) == 0 || j.state == pending {
		return ""
	}
	return j.slots.TRES()
}

// gresDetail is gres_detail: one item per node, in the order of the nodes.
func (j *job) gresDetail() []string {
	if j.state != running {
		return nil
	}
	return j.slots.Gres()
}

func withType(sep, t string) string {
	if t == "" {
		return ""
	}
	return sep + t
}

// formatTasks prints the pending tasks as Slurm does: "0-3,5-9%2".
func (j *job) formatTasks() string {
	if !j.isUnsplit() {
		return ""
	}
	var parts []string
	for i := 0; i < len(j.tasks); {
		k := i
		for k+1 < len(j.tasks) && j.tasks[k+1] == j.tasks[k]+1 {
			k++
		}
		if k == i {
			parts = append(parts, strconv.FormatInt(j.tasks[i], 10))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", j.tasks[i], j.tasks[k]))
		}
		i = k + 1
	}
	s := strings.Join(parts, ",")
	if j.spec.ArrayMax > 0 {
		s += "%" + strconv.Itoa(j.spec.ArrayMax)
	}
	return s
}
