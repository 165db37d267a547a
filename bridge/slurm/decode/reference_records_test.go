package decode

import (
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// referenceJob reads one job.
func referenceJob(o jsonObject) slurm.Job {
	r := newReader(o)
	var j slurm.Job
	j.ID, j.UserID = r.size("job_id"), r.size("user_id")
	if step, ok := o["step_id"].(map[string]any); ok {
		inner := newReader(step)
		j.SLUID = inner.text("sluid")
		if len(inner.wrong) > 0 {
			r.wrong["step_id"] = true
		}
	}
	r.identity(&j)
	r.times(&j)
	r.resources(&j)
	r.array(&j)
	j.UntrustedReason = r.opaque()
	r.soft(&j)
	j.Licenses = newReader(r.o).text("licenses")
	return j
}

func (r *reader) identity(j *slurm.Job) {
	j.Name, j.User, j.Account, j.QOS = r.text("name"), r.text("user_name"), r.text("account"), r.text("qos")
	if list := r.text("partition"); list != "" {
		j.Partitions = strings.Split(list, ",")
	}
	j.Cluster = r.text("cluster")
	j.State, j.Flags = r.state("job_state")
	j.Reason, j.ReasonText = r.text("state_reason"), r.text("state_description")
	n, got := number(r.o["nice"])
	if n > 1<<31 && n < 1<<32 {
		n -= 1 << 32
	}
	if got == statusFound && n <= 1<<31 && n >= -1<<31 {
		j.Nice, j.IsNiceKnown = n, true
	} else if got == statusFound || got == statusUnreadable {
		r.wrong["nice"] = true
	}
	j.Priority = r.size("priority")
	j.IsHeld = r.flag("hold") || r.good["priority"] && j.Priority == 0
	j.Restarts, j.Requeue, j.IsBatch = int(r.size("restart_cnt")), r.flag("requeue"), r.flag("batch_flag")
	j.Comment, j.Extra, j.AdminComment = r.text("comment"), r.text("extra"), r.text("admin_comment")
	j.MailUser = r.text("mail_user")
	j.Directive = slurm.ReadDirective(j.Comment, j.Extra)
	j.Features, j.Dependency, j.Reservation = slurm.ReadFeatures(r.text("features")), slurm.ReadDependency(r.text("dependency")), r.text("resv_name")
	j.FederationOrigin = r.text("federation_origin")
}

func (r *reader) times(j *slurm.Job) {
	j.Submit, j.EligibleTime, j.AccrueTime = r.time("submit_time"), r.time("eligible_time"), r.time("accrue_time")
	j.Start, j.End, j.SuspendTime = r.time("start_time"), r.time("end_time"), r.time("suspend_time")
	j.PreemptTime, j.ResizeTime = r.time("preempt_time"), r.time("resize_time")
	j.PreSuspendTime, j.Deadline = r.span("pre_sus_time", time.Second), r.time("deadline")
	j.TimeLimit = r.span("time_limit", time.Minute)
}

func (r *reader) resources(j *slurm.Job) {
	j.Nodes, j.RequiredNodes = slurm.ReadHosts(r.hosts("nodes")), slurm.ReadHosts(r.hosts("required_nodes"))
	j.ExcludedNodes, j.ScheduledNodes = slurm.ReadHosts(r.hosts("excluded_nodes")), slurm.ReadHosts(r.hosts("scheduled_nodes"))
	j.NodeCount, j.MaxNodes, j.CPUs, j.ProcessCount = int(r.size("node_count")), int(r.size("max_nodes")), int(r.size("cpus")), int(r.size("tasks"))
	j.MemPerNodeMB, j.MemPerCPUMB = r.size("memory_per_node"), r.size("memory_per_cpu")
	if n := int(r.size("minimum_cpus_per_node")); n > 1 {
		j.MinCPUsPerNode = n
	}
	j.RequestedTRES, j.AllocatedTRES = slurm.ReadTRES(r.text("tres_req_str")), slurm.ReadTRES(r.text("tres_alloc_str"))
	j.CPUsPerGRES = r.text("cpus_per_tres")
	j.GresPerNode, j.GresPerJob, j.GresPerTask = slurm.ReadGRESRequest(r.text("tres_per_node")), slurm.ReadGRESRequest(r.text("tres_per_job")), slurm.ReadGRESRequest(r.text("tres_per_task"))
	detail, _ := r.list("gres_detail", false)
	j.GresDetail = slurm.ReadGRESDetail(detail)
}

func (r *reader) array(j *slurm.Job) {
	j.ArrayJobID, j.ArrayMaxTasks = r.size("array_job_id"), int(r.size("array_max_tasks"))
	task, got := sized(r.o["array_task_id"])
	if r.note("array_task_id", got); got == statusFound && j.ArrayJobID != 0 {
		j.ArrayTaskID, j.IsArrayTask = task, true
	}
	j.ArrayTasks = slurm.ReadArrayTasks(r.text("array_task_string"))
	j.HetJobID, j.HetJobOffset = r.size("het_job_id"), int(r.size("het_job_offset"))
}

// soft reads the fields that never spoil the record.
func (r *reader) soft(j *slurm.Job) {
	soft := newReader(r.o)
	j.Cron = soft.text("cron")
	shared, _ := soft.list("shared", true)
	excl, _ := soft.list("exclusive", true)
	yes, _ := r.o["exclusive"].(bool)
	j.Exclusive = yes || slices.Contains(strings.Fields(soft.text("submit_line")), "--exclusive") || slices.Contains(shared, "NONE") || slices.Contains(excl, "TRUE")
}

// opaque says what is wrong with a job.
func (r *reader) opaque() string {
	for _, f := range jobSchema.fields {
		if r.wrong[f.name] {
			return f.name + " is not of the expected kind"
		}
	}
	for _, f := range []string{"job_id", "user_id", "partition", "job_state", "submit_time", "priority", "restart_cnt"} {
		if !r.good[f] {
			for _, f := range jobSchema.fields { // the first in the decoder's order
				if needed[f.name] && !r.good[f.name] {
					return f.name + " is missing"
				}
			}
		}
	}
	return ""
}

var needed = map[string]bool{"job_id": true, "user_id": true, "partition": true, "job_state": true, "submit_time": true, "priority": true, "restart_cnt": true}

// referenceNode reads one node.
func referenceNode(o jsonObject) slurm.Node {
	r := newReader(o)
	var n slurm.Node
	n.Name, n.Reason = r.text("name"), r.text("reason")
	for _, key := range []string{"state", "state_flags"} {
		words, _ := r.list(key, true)
		for _, w := range words {
			if n.State == "" && nodeBaseStates[w] {
				n.State = w
			} else {
				n.Flags = append(n.Flags, w)
			}
		}
	}
	slices.Sort(n.Flags)
	n.Flags = slices.Compact(n.Flags)
	n.Gres, n.GresUsed = slurm.ReadGRES(r.text("gres")), slurm.ReadGRES(r.text("gres_used"))
	n.TRES, n.TRESUsed = slurm.ReadTRES(r.text("tres")), slurm.ReadTRES(r.text("tres_used"))
	n.Features, n.Partitions = r.commas("active_features"), r.commas("partitions")
	n.CPUs, n.CPUsUsed = int(r.size("cpus")), int(r.size("alloc_cpus"))
	n.MemMB, n.MemUsedMB = r.size("real_memory"), r.size("alloc_memory")
	if len(r.wrong) > 0 || n.State == "" {
		n.State = "UNREADABLE"
	}
	soft := newReader(o)
	n.Topology, n.Version = soft.text("topology"), soft.text("version")
	if old := soft.text("slurmd_version"); old != "" {
		n.Version = old
	}
	return n
}

func (r *reader) commas(key string) []string {
	list, _ := r.list(key, false)
	if s, ok := r.o[key].(string); ok {
		list = strings.FieldsFunc(cleaned(s), func(c rune) bool { return c == ',' })
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// referenceReservation reads one reservation.
func referenceReservation(o jsonObject) slurm.Reservation {
	r := newReader(o)
	var v slurm.Reservation
	v.Name, v.Nodes = r.text("name"), slurm.ReadHosts(r.hosts("node_list"))
	v.Start, v.End = r.time("start_time"), r.time("end_time")
	v.Flags, _ = r.list("flags", true)
	slices.Sort(v.Flags)
	v.Flags = slices.Compact(v.Flags)
	for _, f := range reservationSchema.fields {
		if r.wrong[f.name] {
			v.UnreadReason = f.name + " is not of the expected kind"
			break
		}
	}
	soft := newReader(o)
	v.CoreCount, v.NodeCount = int(soft.size("core_count")), int(soft.size("node_count"))
	v.TRES, v.Partition, v.Licenses = slurm.ReadTRES(soft.text("tres")), soft.text("partition"), soft.text("licenses")
	v.Users, v.Accounts, v.Groups = soft.commas("users"), soft.commas("accounts"), soft.commas("groups")
	return v
}
