package sim

import (
	"fmt"
	"math/bits"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// Jobs returns every listed job as Slurm shows it, by id.
func (w *World) Jobs() []slurm.Job {
	out := make([]slurm.Job, len(w.order))
	for i, j := range w.order {
		out[i] = w.show(j)
	}
	return out
}

// Job returns one listed job; the error is Slurm's 2017 when there is none.
func (w *World) Job(id int64) (slurm.Job, error) {
	j, err := w.job(id)
	if err != nil {
		return slurm.Job{}, err
	}
	return w.show(j), nil
}

// ByRun returns the job whose current run has the SLUID.
func (w *World) ByRun(sluid string) (slurm.Job, error) {
	for _, j := range w.order {
		if j.sluid == sluid {
			return w.show(j), nil
		}
	}
	return slurm.Job{}, problem(NoSuchJob, "Invalid job id specified")
}

func (w *World) show(j *job) slurm.Job {
	s := &j.spec
	out := slurm.Job{
		ID: j.id, SLUID: j.sluid, Name: s.Name, User: s.User, UserID: w.userID(s.User), Account: s.Account,
		QOS: s.QOS, Partitions: strings.Split(s.Partition, ","), Cluster: w.cfg.Cluster, State: j.state, Reason: j.reason,
		Submit: j.submit, Accrue: j.accrue, Start: j.start, End: j.end, Deadline: s.Deadline, Limit: s.Limit,
		Priority: j.priority, Nice: s.Nice, NiceKnown: !w.cfg.old() || s.Nice > 0, Held: j.held(), Restarts: j.restarts,
		Requeue: !s.NoRequeue, Batch: true, Comment: s.Comment, Extra: s.Extra, Admin: j.admin,
		Nodes: slurm.HostsOf(j.hosts()), Required: slurm.ReadHosts(strings.Join(s.Required, ",")),
		Excluded: slurm.ReadHosts(strings.Join(s.Excluded, ",")), Scheduled: slurm.HostsOf(names(j.planned)),
		NodeCount: max(s.Nodes, len(j.slots)), CPUs: s.CPUs * max(s.Nodes, len(j.slots)), MemPerNode: s.MemMB, MemPerCPU: j.perCPU,
		MaxNodes: s.Nodes, Request: j.request(), Allocated: j.allocated(), Gres: j.gres(), Features: s.Features,
		Exclusive: s.Exclusive, ArrayJob: j.array, ArrayTasks: j.taskString(), ArrayMax: s.ArrayMax, Reservation: s.Reservation,
	}
	if s.GPUsPerNode > 0 {
		out.PerNode = "gres/gpu" + typed(":", s.GPUType) + ":" + itoa(s.GPUsPerNode)
	}
	if s.GPUs > 0 {
		out.PerJob = "gres/gpu" + typed(":", s.GPUType) + ":" + itoa(s.GPUs)
	}
	if j.array != 0 && !j.unsplit() {
		out.ArraySplit, out.ArrayTask = true, j.task
	}
	if j.completing {
		out.Flags = []string{"COMPLETING"}
	}
	w.showTimes(j, &out)
	return out
}

// showTimes adds what depends on the state.
func (w *World) showTimes(j *job, out *slurm.Job) {
	if j.held() {
		out.Priority = 0
	}
	if j.state == running {
		out.Partitions, out.Eligible = []string{j.part.Name}, latest(j.submit, j.begin)
		if j.spec.Limit > 0 {
			out.End = j.start.Add(j.spec.Limit)
		}
		return
	}
	if j.state != pending {
		out.Eligible = latest(j.submit, j.begin)
		return
	}
	if r := w.waitsFor(j); r != "" {
		out.Dependency = strings.ReplaceAll(j.spec.Dependency, ",", "(unfulfilled),") + "(unfulfilled)"
	}
	switch {
	case !j.begin.IsZero():
		out.Eligible = j.begin
	case out.Dependency == "" && !j.held():
		out.Eligible = j.submit
	}
	out.Start = j.expect
	if j.begin.After(w.Now()) {
		out.Start = j.begin
	}
	if !out.Start.IsZero() && j.spec.Limit > 0 {
		out.End = out.Start.Add(j.spec.Limit)
	}
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// userID gives every name a number of its own, in order of configuration, then
// a stable one made from the name.
func (w *World) userID(name string) int64 {
	for i, u := range w.cfg.Users {
		if u.Name == name {
			return 3001 + int64(i)
		}
	}
	h := uint32(2166136261)
	for _, c := range []byte(name) {
		h = (h ^ uint32(c)) * 16777619
	}
	return 10_000 + int64(h%1_000_000)
}

// request is tres_req_str of one task.
func (j *job) request() string {
	s := &j.spec
	n := s.Nodes
	out := fmt.Sprintf("cpu=%d%s,node=%d,billing=%d", s.CPUs*n, memory(j.memory()*int64(n)), n, s.CPUs*n)
	if g := j.gpus(); g > 0 {
		out += fmt.Sprintf(",gres/gpu=%d", g)
		if s.GPUType != "" {
			out += fmt.Sprintf(",gres/gpu:%s=%d", s.GPUType, g)
		}
	}
	return out
}

// allocated is tres_alloc_str.
func (j *job) allocated() string {
	if len(j.slots) == 0 || j.state == pending {
		return ""
	}
	cpus, mem := 0, int64(0)
	for _, s := range j.slots {
		cpus, mem = cpus+s.cpus, mem+s.mem
	}
	out := fmt.Sprintf("cpu=%d%s,node=%d,billing=%d", cpus, memory(mem), len(j.slots), cpus)
	if _, n := j.holds(); n > 0 {
		out += fmt.Sprintf(",gres/gpu=%d", n) + j.byType()
	}
	return out
}

// byType lists the GPUs held by type.
func (j *job) byType() string {
	var types []string
	count := map[string]int{}
	for _, s := range j.slots {
		if s.typ < 0 {
			continue
		}
		t := s.n.GPUs[s.typ].Type
		if count[t] == 0 {
			types = append(types, t)
		}
		count[t] += s.gpus
	}
	out := ""
	for _, t := range types {
		out += fmt.Sprintf(",gres/gpu:%s=%d", t, count[t])
	}
	return out
}

func memory(mb int64) string {
	if mb == 0 {
		return ""
	}
	return ",mem=" + size(mb)
}

// size prints megabytes as Slurm does: whole gigabytes when it can.
func size(mb int64) string {
	if mb%1024 == 0 {
		return fmt.Sprintf("%dG", mb/1024)
	}
	return fmt.Sprintf("%dM", mb)
}

func typed(sep, t string) string {
	if t == "" {
		return ""
	}
	return sep + t
}

// gres is gres_detail: one item per node, in the order of the nodes.
func (j *job) gres() []string {
	if j.state != running {
		return nil
	}
	var out []string
	for _, s := range j.slots {
		if s.typ >= 0 {
			out = append(out, fmt.Sprintf("gpu:%s:%d(IDX:%s)", s.n.GPUs[s.typ].Type, s.gpus, indices(s.mask)))
		}
	}
	return out
}

// indices prints a device mask as "0-2,5".
func indices(m uint64) string {
	var parts []string
	for m != 0 {
		lo := bits.TrailingZeros64(m)
		n := bits.TrailingZeros64(^(m >> lo))
		if n == 1 {
			parts = append(parts, itoa(lo))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", lo, lo+n-1))
		}
		m &^= (1<<n - 1) << lo
	}
	return strings.Join(parts, ",")
}
