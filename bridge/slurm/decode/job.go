package decode

import (
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// jobSchema is every field of a job record this package reads.
var jobSchema = newSchema(
	sizeField("job_id", func(j *slurm.Job) *int64 { return &j.ID }),
	objectField("step_id", newSchema(uniqueField("sluid", func(j *slurm.Job) *string { return &j.SLUID })), skipValue),
	remarkField("name", func(j *slurm.Job) *string { return &j.Name }),
	wordField("user_name", func(j *slurm.Job) *string { return &j.User }),
	sizeField("user_id", func(j *slurm.Job) *int64 { return &j.UserID }),
	wordField("account", func(j *slurm.Job) *string { return &j.Account }),
	wordField("qos", func(j *slurm.Job) *string { return &j.QOS }),
	recordField[slurm.Job]{"partition", readPartitions},
	wordField("cluster", func(j *slurm.Job) *string { return &j.Cluster }),
	recordField[slurm.Job]{"job_state", readState},
	wordField("state_reason", func(j *slurm.Job) *string { return &j.Reason }),
	remarkField("state_description", func(j *slurm.Job) *string { return &j.ReasonText }),
	timeField("submit_time", func(j *slurm.Job) *time.Time { return &j.Submit }),
	timeField("eligible_time", func(j *slurm.Job) *time.Time { return &j.Eligible }),
	timeField("accrue_time", func(j *slurm.Job) *time.Time { return &j.Accrue }),
	timeField("start_time", func(j *slurm.Job) *time.Time { return &j.Start }),
	timeField("end_time", func(j *slurm.Job) *time.Time { return &j.End }),
	timeField("suspend_time", func(j *slurm.Job) *time.Time { return &j.SuspendTime }),
	durationField("pre_sus_time", time.Second, func(j *slurm.Job) *time.Duration { return &j.PreSuspendTime }),
	timeField("deadline", func(j *slurm.Job) *time.Time { return &j.Deadline }),
	durationField("time_limit", time.Minute, func(j *slurm.Job) *time.Duration { return &j.TimeLimit }),
	sizeField("priority", func(j *slurm.Job) *int64 { return &j.Priority }),
	recordField[slurm.Job]{"nice", readNice},
	boolField("hold", func(j *slurm.Job) *bool { return &j.IsHeld }),
	sizeField("restart_cnt", func(j *slurm.Job) *int { return &j.Restarts }),
	boolField("requeue", func(j *slurm.Job) *bool { return &j.Requeue }),
	boolField("batch_flag", func(j *slurm.Job) *bool { return &j.IsBatch }),
	remarkField("comment", func(j *slurm.Job) *string { return &j.Comment }),
	remarkField("extra", func(j *slurm.Job) *string { return &j.Extra }),
	remarkField("admin_comment", func(j *slurm.Job) *string { return &j.AdminComment }),
	hostsField("nodes", func(j *slurm.Job) *slurm.Hosts { return &j.Nodes }),
	hostsField("required_nodes", func(j *slurm.Job) *slurm.Hosts { return &j.RequiredNodes }),
	hostsField("excluded_nodes", func(j *slurm.Job) *slurm.Hosts { return &j.ExcludedNodes }),
	hostsField("scheduled_nodes", func(j *slurm.Job) *slurm.Hosts { return &j.ScheduledNodes }),
	sizeField("node_count", func(j *slurm.Job) *int { return &j.NodeCount }),
	sizeField("max_nodes", func(j *slurm.Job) *int { return &j.MaxNodes }),
	sizeField("cpus", func(j *slurm.Job) *int { return &j.CPUs }),
	sizeField("memory_per_node", func(j *slurm.Job) *int64 { return &j.MemPerNodeMB }),
	sizeField("memory_per_cpu", func(j *slurm.Job) *int64 { return &j.MemPerCPUMB }),
	parsedField("tres_req_str", func(j *slurm.Job) *slurm.TRES { return &j.RequestedTRES }, (*meanings).tresOf),
	parsedField("tres_alloc_str", func(j *slurm.Job) *slurm.TRES { return &j.AllocatedTRES }, (*meanings).tresOf),
	parsedField("tres_per_node", func(j *slurm.Job) *slurm.GRESList { return &j.GresPerNode }, (*meanings).requestOf),
	parsedField("tres_per_job", func(j *slurm.Job) *slurm.GRESList { return &j.GresPerJob }, (*meanings).requestOf),
	parsedField("tres_per_task", func(j *slurm.Job) *slurm.GRESList { return &j.GresPerTask }, (*meanings).requestOf),
	recordField[slurm.Job]{"gres_detail", readDetail},
	parsedField("features", func(j *slurm.Job) *slurm.Features { return &j.Features }, (*meanings).constraintOf),
	parsedField("dependency", func(j *slurm.Job) *slurm.Dependency { return &j.Dependency }, (*meanings).dependencyOf),
	wordField("resv_name", func(j *slurm.Job) *string { return &j.Reservation }),
	optionalField(wordField("cron", func(j *slurm.Job) *string { return &j.Cron })),
	wordField("federation_origin", func(j *slurm.Job) *string { return &j.FederationOrigin }),
	optionalField(exclusiveField("shared", "NONE")),
	optionalField(exclusiveField("exclusive", "TRUE")),
	sizeField("array_job_id", func(j *slurm.Job) *int64 { return &j.ArrayJobID }),
	recordField[slurm.Job]{"array_task_id", readTask},
	parsedField("array_task_string", func(j *slurm.Job) *slurm.ArrayTasks { return &j.ArrayTasks }, (*meanings).arrayOf),
	sizeField("array_max_tasks", func(j *slurm.Job) *int { return &j.ArrayMaxTasks }),
	sizeField("het_job_id", func(j *slurm.Job) *int64 { return &j.HetJobID }),
	sizeField("het_job_offset", func(j *slurm.Job) *int { return &j.HetJobOffset }),
)

// requiredJobFields are the fields without which a job cannot be trusted: its identity,
// and what the decisions about it rest on.
var requiredJobFields = jobSchema.setOf("job_id", "user_id", "partition", "job_state", "submit_time", "priority", "restart_cnt")

var (
	priorityField = jobSchema.setOf("priority")
	idField       = jobSchema.setOf("job_id")
)

func readPartitions(s *replyInput, j *slurm.Job) status {
	list, got := s.readWord()
	if list != "" {
		s.words = slices.AppendSeq(s.words[:0], strings.SplitSeq(list, ","))
		j.Partitions = s.pool.copyList(s.words)
	}
	return got
}

func readDetail(s *replyInput, j *slurm.Job) status {
	got := s.readWords(false)
	j.GresDetail = s.details.allocate(len(s.words))
	for i, text := range s.words {
		j.GresDetail[i] = s.meanings.gresOf(text)
	}
	return got
}

func readNice(s *replyInput, j *slurm.Job) status {
	v, got := s.Number()
	if v > 1<<31 && v < 1<<32 {
		v -= 1 << 32 // 22.05 writes negative ones as if they had no sign
	}
	if got == found && (v > 1<<31 || v < -1<<31) {
		got = unreadable
	}
	if got == found {
		j.Nice, j.IsNiceKnown = v, true
	}
	return got
}

func readTask(s *replyInput, j *slurm.Job) status {
	v, got := s.readSize()
	if got == found {
		j.ArrayTaskID, j.IsArrayTask = v, true
	}
	return got
}

func readState(s *replyInput, j *slurm.Job) status {
	got := s.readWords(true)
	if got == found {
		j.State, got = s.splitJobState()
		j.Flags = s.pool.copyList(s.words)
	}
	return got
}

// exclusiveField makes the reader of one of the two fields that say that a job
// shares its nodes with no other.
func exclusiveField(name, value string) recordField[slurm.Job] {
	return recordField[slurm.Job]{name, func(s *replyInput, j *slurm.Job) status {
		if s.SkipSpace() == 't' || s.SkipSpace() == 'f' {
			v, got := s.Boolean()
			j.Exclusive = j.Exclusive || v && value == "TRUE"
			return got
		}
		got := s.readWords(true)
		j.Exclusive = j.Exclusive || slices.Contains(s.words, value)
		return got
	}}
}

// readJob reads one job record.
func readJob(s *replyInput, j *slurm.Job) {
	good, wrong := jobSchema.read(s, j)
	if s.Err() != nil {
		return
	}
	if good&idField == 0 || j.ID == 0 {
		s.Fail("a job without an id")
		return
	}
	if good&priorityField != 0 && j.Priority == 0 {
		j.IsHeld = true
	}
	j.Directive = s.meanings.directiveOf(j.Comment, j.Extra)
	if j.ArrayJobID == 0 {
		j.ArrayTaskID, j.IsArrayTask = 0, false
	}
	if wrong != 0 {
		j.UntrustedReason = jobSchema.firstName(wrong) + " is not of the expected kind"
	} else if lack := requiredJobFields &^ good; lack != 0 {
		j.UntrustedReason = jobSchema.firstName(lack) + " is missing"
	}
}
