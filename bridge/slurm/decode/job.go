package decode

import (
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// jobShape is every field of a job record this package reads.
var jobShape = shaped(
	size("job_id", func(j *slurm.Job) *int64 { return &j.ID }),
	object("step_id", shaped(unique("sluid", func(j *slurm.Job) *string { return &j.SLUID })), nothing),
	remarks("name", func(j *slurm.Job) *string { return &j.Name }),
	word("user_name", func(j *slurm.Job) *string { return &j.User }),
	size("user_id", func(j *slurm.Job) *int64 { return &j.UserID }),
	word("account", func(j *slurm.Job) *string { return &j.Account }),
	word("qos", func(j *slurm.Job) *string { return &j.QOS }),
	field[slurm.Job]{"partition", readPartitions},
	word("cluster", func(j *slurm.Job) *string { return &j.Cluster }),
	field[slurm.Job]{"job_state", readState},
	word("state_reason", func(j *slurm.Job) *string { return &j.Reason }),
	remarks("state_description", func(j *slurm.Job) *string { return &j.ReasonText }),
	moment("submit_time", func(j *slurm.Job) *time.Time { return &j.Submit }),
	moment("eligible_time", func(j *slurm.Job) *time.Time { return &j.Eligible }),
	moment("accrue_time", func(j *slurm.Job) *time.Time { return &j.Accrue }),
	moment("start_time", func(j *slurm.Job) *time.Time { return &j.Start }),
	moment("end_time", func(j *slurm.Job) *time.Time { return &j.End }),
	moment("suspend_time", func(j *slurm.Job) *time.Time { return &j.Suspended }),
	span("pre_sus_time", time.Second, func(j *slurm.Job) *time.Duration { return &j.PreSuspend }),
	moment("deadline", func(j *slurm.Job) *time.Time { return &j.Deadline }),
	span("time_limit", time.Minute, func(j *slurm.Job) *time.Duration { return &j.Limit }),
	size("priority", func(j *slurm.Job) *int64 { return &j.Priority }),
	field[slurm.Job]{"nice", readNice},
	boolean("hold", func(j *slurm.Job) *bool { return &j.Held }),
	size("restart_cnt", func(j *slurm.Job) *int { return &j.Restarts }),
	boolean("requeue", func(j *slurm.Job) *bool { return &j.Requeue }),
	boolean("batch_flag", func(j *slurm.Job) *bool { return &j.Batch }),
	remarks("comment", func(j *slurm.Job) *string { return &j.Comment }),
	remarks("extra", func(j *slurm.Job) *string { return &j.Extra }),
	remarks("admin_comment", func(j *slurm.Job) *string { return &j.Admin }),
	hosts("nodes", func(j *slurm.Job) *slurm.Hosts { return &j.Nodes }),
	hosts("required_nodes", func(j *slurm.Job) *slurm.Hosts { return &j.Required }),
	hosts("excluded_nodes", func(j *slurm.Job) *slurm.Hosts { return &j.Excluded }),
	hosts("scheduled_nodes", func(j *slurm.Job) *slurm.Hosts { return &j.Scheduled }),
	size("node_count", func(j *slurm.Job) *int { return &j.NodeCount }),
	size("max_nodes", func(j *slurm.Job) *int { return &j.MaxNodes }),
	size("cpus", func(j *slurm.Job) *int { return &j.CPUs }),
	size("memory_per_node", func(j *slurm.Job) *int64 { return &j.MemPerNode }),
	size("memory_per_cpu", func(j *slurm.Job) *int64 { return &j.MemPerCPU }),
	meaning("tres_req_str", func(j *slurm.Job) *slurm.TRES { return &j.Request }, (*known).tres),
	meaning("tres_alloc_str", func(j *slurm.Job) *slurm.TRES { return &j.Allocated }, (*known).tres),
	meaning("tres_per_node", func(j *slurm.Job) *slurm.GRESList { return &j.PerNode }, (*known).request),
	meaning("tres_per_job", func(j *slurm.Job) *slurm.GRESList { return &j.PerJob }, (*known).request),
	meaning("tres_per_task", func(j *slurm.Job) *slurm.GRESList { return &j.PerTask }, (*known).request),
	field[slurm.Job]{"gres_detail", readDetail},
	meaning("features", func(j *slurm.Job) *slurm.Features { return &j.Features }, (*known).constraint),
	meaning("dependency", func(j *slurm.Job) *slurm.Dependency { return &j.Dependency }, (*known).dependency),
	word("resv_name", func(j *slurm.Job) *string { return &j.Reservation }),
	lenient(word("cron", func(j *slurm.Job) *string { return &j.Cron })),
	word("federation_origin", func(j *slurm.Job) *string { return &j.Federation }),
	lenient(exclusive("shared", "NONE")),
	lenient(exclusive("exclusive", "TRUE")),
	size("array_job_id", func(j *slurm.Job) *int64 { return &j.ArrayJob }),
	field[slurm.Job]{"array_task_id", readTask},
	meaning("array_task_string", func(j *slurm.Job) *slurm.Tasks { return &j.ArrayTasks }, (*known).array),
	size("array_max_tasks", func(j *slurm.Job) *int { return &j.ArrayMax }),
	size("het_job_id", func(j *slurm.Job) *int64 { return &j.HetJob }),
	size("het_job_offset", func(j *slurm.Job) *int { return &j.HetOffset }),
)

// jobNeeds are the fields without which a job cannot be trusted: its identity,
// and what the decisions about it rest on.
var jobNeeds = jobShape.mask("job_id", "user_id", "partition", "job_state", "submit_time", "priority", "restart_cnt")

var (
	priorityField = jobShape.mask("priority")
	idField       = jobShape.mask("job_id")
)

func readPartitions(s *input, j *slurm.Job) verdict {
	list, got := s.word()
	if list != "" {
		s.list = slices.AppendSeq(s.list[:0], strings.SplitSeq(list, ","))
		j.Partitions = s.pool.keep(s.list)
	}
	return got
}

func readDetail(s *input, j *slurm.Job) verdict {
	got := s.words(false)
	j.Gres = s.details.take(len(s.list))
	for i, text := range s.list {
		j.Gres[i] = s.known.gres(text)
	}
	return got
}

func readNice(s *input, j *slurm.Job) verdict {
	v, got := s.Number()
	if v > 1<<31 && v < 1<<32 {
		v -= 1 << 32 // 22.05 writes negative ones as if they had no sign
	}
	if got == found && (v > 1<<31 || v < -1<<31) {
		got = unreadable
	}
	if got == found {
		j.Nice, j.NiceKnown = v, true
	}
	return got
}

func readTask(s *input, j *slurm.Job) verdict {
	v, got := s.size()
	if got == found {
		j.ArrayTask, j.ArraySplit = v, true
	}
	return got
}

func readState(s *input, j *slurm.Job) verdict {
	got := s.words(true)
	if got == found {
		j.State, got = s.jobState()
		j.Flags = s.pool.keep(s.list)
	}
	return got
}

// exclusive makes the reader of one of the two fields that say that a job
// shares its nodes with no other.
func exclusive(name, value string) field[slurm.Job] {
	return field[slurm.Job]{name, func(s *input, j *slurm.Job) verdict {
		if s.Space() == 't' || s.Space() == 'f' {
			v, got := s.Boolean()
			j.Exclusive = j.Exclusive || v && value == "TRUE"
			return got
		}
		got := s.words(true)
		j.Exclusive = j.Exclusive || slices.Contains(s.list, value)
		return got
	}}
}

// job reads one job record.
func readJob(s *input, j *slurm.Job) {
	good, wrong := jobShape.read(s, j)
	if s.Err() != nil {
		return
	}
	if good&idField == 0 || j.ID == 0 {
		s.Fail("a job without an id")
		return
	}
	if good&priorityField != 0 && j.Priority == 0 {
		j.Held = true
	}
	j.Directive = s.known.directive(j.Comment, j.Extra)
	if j.ArrayJob == 0 {
		j.ArrayTask, j.ArraySplit = 0, false
	}
	if wrong != 0 {
		j.Opaque = jobShape.first(wrong) + " is not of the expected kind"
	} else if lack := jobNeeds &^ good; lack != 0 {
		j.Opaque = jobShape.first(lack) + " is missing"
	}
}
