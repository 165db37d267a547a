package decode

import (
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// jobSchema is every field of a job record this package reads.
var jobSchema = newRecordSchema(append([]recordField[slurm.Job]{
	nonNegativeField("job_id", func(j *slurm.Job) *int64 { return &j.ID }),
	objectField("step_id", newRecordSchema(uniqueStringField("sluid", func(j *slurm.Job) *string { return &j.SLUID })), skipValue),
	humanTextField("name", func(j *slurm.Job) *string { return &j.Name }),
	sharedStringField("user_name", func(j *slurm.Job) *string { return &j.User }),
	nonNegativeField("user_id", func(j *slurm.Job) *int64 { return &j.UserID }),
	sharedStringField("account", func(j *slurm.Job) *string { return &j.Account }),
	sharedStringField("qos", func(j *slurm.Job) *string { return &j.QOS }),
	recordField[slurm.Job]{"partition", readJobPartitions},
	sharedStringField("cluster", func(j *slurm.Job) *string { return &j.Cluster }),
	recordField[slurm.Job]{"job_state", readJobState},
	sharedStringField("state_reason", func(j *slurm.Job) *string { return &j.Reason }),
	humanTextField("state_description", func(j *slurm.Job) *string { return &j.ReasonText }),
	timeField("submit_time", func(j *slurm.Job) *time.Time { return &j.Submit }),
	timeField("eligible_time", func(j *slurm.Job) *time.Time { return &j.EligibleTime }),
	timeField("accrue_time", func(j *slurm.Job) *time.Time { return &j.AccrueTime }),
	timeField("start_time", func(j *slurm.Job) *time.Time { return &j.Start }),
	timeField("end_time", func(j *slurm.Job) *time.Time { return &j.End }),
	timeField("preempt_time", func(j *slurm.Job) *time.Time { return &j.PreemptTime }),
	timeField("resize_time", func(j *slurm.Job) *time.Time { return &j.ResizeTime }),
	timeField("suspend_time", func(j *slurm.Job) *time.Time { return &j.SuspendTime }),
	durationField("pre_sus_time", time.Second, func(j *slurm.Job) *time.Duration { return &j.PreSuspendTime }),
	timeField("deadline", func(j *slurm.Job) *time.Time { return &j.Deadline }),
	durationField("time_limit", time.Minute, func(j *slurm.Job) *time.Duration { return &j.TimeLimit }),
	nonNegativeField("priority", func(j *slurm.Job) *int64 { return &j.Priority }),
	recordField[slurm.Job]{"nice", readNice},
	boolField("hold", func(j *slurm.Job) *bool { return &j.IsHeld }),
	nonNegativeField("restart_cnt", func(j *slurm.Job) *int { return &j.Restarts }),
	boolField("requeue", func(j *slurm.Job) *bool { return &j.Requeue }),
	boolField("batch_flag", func(j *slurm.Job) *bool { return &j.IsBatch }),
	humanTextField("comment", func(j *slurm.Job) *string { return &j.Comment }),
	humanTextField("extra", func(j *slurm.Job) *string { return &j.Extra }),
	humanTextField("admin_comment", func(j *slurm.Job) *string { return &j.AdminComment }),
	sharedStringField("mail_user", func(j *slurm.Job) *string { return &j.MailUser }),
	hostsField("nodes", func(j *slurm.Job) *slurm.Hosts { return &j.Nodes }),
	hostsField("required_nodes", func(j *slurm.Job) *slurm.Hosts { return &j.RequiredNodes }),
	hostsField("excluded_nodes", func(j *slurm.Job) *slurm.Hosts { return &j.ExcludedNodes }),
	hostsField("scheduled_nodes", func(j *slurm.Job) *slurm.Hosts { return &j.ScheduledNodes }),
	nonNegativeField("node_count", func(j *slurm.Job) *int { return &j.NodeCount }),
	nonNegativeField("max_nodes", func(j *slurm.Job) *int { return &j.MaxNodes }),
	nonNegativeField("tasks", func(j *slurm.Job) *int { return &j.ProcessCount }),
	nonNegativeField("cpus", func(j *slurm.Job) *int { return &j.CPUs }),
	recordField[slurm.Job]{"minimum_cpus_per_node", readMinCPUs},
	nonNegativeField("memory_per_node", func(j *slurm.Job) *int64 { return &j.MemPerNodeMB }),
	nonNegativeField("memory_per_cpu", func(j *slurm.Job) *int64 { return &j.MemPerCPUMB }),
	parsedTextField("tres_req_str", func(j *slurm.Job) *slurm.TRES { return &j.RequestedTRES }, (*textCaches).parseTRES),
	parsedTextField("tres_alloc_str", func(j *slurm.Job) *slurm.TRES { return &j.AllocatedTRES }, (*textCaches).parseTRES),
	parsedTextField("tres_per_node", func(j *slurm.Job) *slurm.GRESList { return &j.GresPerNode }, (*textCaches).parseGRESRequest),
	parsedTextField("tres_per_job", func(j *slurm.Job) *slurm.GRESList { return &j.GresPerJob }, (*textCaches).parseGRESRequest),
	parsedTextField("tres_per_task", func(j *slurm.Job) *slurm.GRESList { return &j.GresPerTask }, (*textCaches).parseGRESRequest),
	sharedStringField("cpus_per_tres", func(j *slurm.Job) *string { return &j.CPUsPerGRES }),
	recordField[slurm.Job]{"gres_detail", readGRESDetail},
	parsedTextField("features", func(j *slurm.Job) *slurm.Features { return &j.Features }, (*textCaches).parseConstraint),
	parsedTextField("dependency", func(j *slurm.Job) *slurm.Dependency { return &j.Dependency }, (*textCaches).parseDependency),
	sharedStringField("resv_name", func(j *slurm.Job) *string { return &j.Reservation }),
	optionalField(sharedStringField("cron", func(j *slurm.Job) *string { return &j.Cron })),
	sharedStringField("federation_origin", func(j *slurm.Job) *string { return &j.FederationOrigin }),
	optionalField(sharedStringField("licenses", func(j *slurm.Job) *string { return &j.Licenses })),
	optionalField(exclusiveField("shared", "NONE")),
	optionalField(exclusiveField("exclusive", "TRUE")),
	optionalField(recordField[slurm.Job]{"submit_line", readSubmitLine}),
	nonNegativeField("array_job_id", func(j *slurm.Job) *int64 { return &j.ArrayJobID }),
	recordField[slurm.Job]{"array_task_id", readArrayTaskID},
	parsedTextField("array_task_string", func(j *slurm.Job) *slurm.ArrayTasks { return &j.ArrayTasks }, (*textCaches).parseArrayTasks),
	nonNegativeField("array_max_tasks", func(j *slurm.Job) *int { return &j.ArrayMaxTasks }),
	nonNegativeField("het_job_id", func(j *slurm.Job) *int64 { return &j.HetJobID }),
	nonNegativeField("het_job_offset", func(j *slurm.Job) *int { return &j.HetJobOffset }),
}, unusualFields...)...)

// requiredJobFields are the fields without which a job cannot be trusted: its identity,
// and what the decisions about it rest on.
var requiredJobFields = jobSchema.fieldSetOf("job_id", "user_id", "partition", "job_state", "submit_time", "priority", "restart_cnt")

var (
	priorityField = jobSchema.fieldSetOf("priority")
	jobIDField    = jobSchema.fieldSetOf("job_id")
)

func readJobPartitions(s *replyInput, j *slurm.Job) valueStatus {
	list, got := s.readSharedString()
	if list != "" {
		s.lastWords = slices.AppendSeq(s.lastWords[:0], strings.SplitSeq(list, ","))
		j.Partitions = s.stringPool.copyList(s.lastWords)
	}
	return got
}

// readMinCPUs keeps what is more than the one core that every job needs.
func readMinCPUs(s *replyInput, j *slurm.Job) valueStatus {
	n, got := s.readNonNegative()
	if n > 1 {
		j.MinCPUsPerNode = int(n)
	}
	return got
}

func readGRESDetail(s *replyInput, j *slurm.Job) valueStatus {
	got := s.readWords(false)
	j.GresDetail = s.gresArena.allocate(len(s.lastWords))
	for i, text := range s.lastWords {
		j.GresDetail[i] = s.textCaches.parseNodeGRES(text)
	}
	return got
}

func readNice(s *replyInput, j *slurm.Job) valueStatus {
	v, got := s.ReadNumber()
	if v > 1<<31 && v < 1<<32 {
		v -= 1 << 32 // 22.05 writes negative ones as if they had no sign
	}
	if got == statusFound && (v > 1<<31 || v < -1<<31) {
		got = statusUnreadable
	}
	if got == statusFound {
		j.Nice, j.IsNiceKnown = v, true
	}
	return got
}

func readArrayTaskID(s *replyInput, j *slurm.Job) valueStatus {
	v, got := s.readNonNegative()
	if got == statusFound {
		j.ArrayTaskID, j.IsArrayTask = v, true
	}
	return got
}

func readJobState(s *replyInput, j *slurm.Job) valueStatus {
	got := s.readWords(true)
	if got == statusFound {
		j.State, got = s.splitJobState()
		j.Flags = s.stringPool.copyList(s.lastWords)
	}
	return got
}

// exclusiveField makes the reader of one of the two fields that say that a job
// shares its nodes with no other.
func exclusiveField(name, value string) recordField[slurm.Job] {
	return recordField[slurm.Job]{name, func(s *replyInput, j *slurm.Job) valueStatus {
		if s.SkipSpace() == 't' || s.SkipSpace() == 'f' {
			v, got := s.ReadBool()
			j.Exclusive = j.Exclusive || v && value == "TRUE"
			return got
		}
		got := s.readWords(true)
		j.Exclusive = j.Exclusive || slices.Contains(s.lastWords, value)
		return got
	}}
}

// readSubmitLine reads that a job wants whole nodes from the command that submitted it: v0.0.45
// shows it nowhere else.
func readSubmitLine(s *replyInput, j *slurm.Job) valueStatus {
	line, got := s.readUniqueString()
	for word := range strings.FieldsSeq(line) {
		j.Exclusive = j.Exclusive || word == "--exclusive"
	}
	return got
}

// readJob reads one job record.
func readJob(s *replyInput, j *slurm.Job) {
	good, wrong := jobSchema.readRecord(s, j)
	if s.Err() != nil {
		return
	}
	if !jobIDField.without(good).isEmpty() || j.ID == 0 {
		s.Fail("a job without an id")
		return
	}
	if priorityField.without(good).isEmpty() && j.Priority == 0 {
		j.IsHeld = true
	}
	j.Directive = s.textCaches.parseDirectives(j.Comment, j.Extra)
	if j.ArrayJobID == 0 {
		j.ArrayTaskID, j.IsArrayTask = 0, false
	}
	if !wrong.isEmpty() {
		j.UntrustedReason = jobSchema.firstFieldName(wrong) + " is not of the expected kind"
	} else if lack := requiredJobFields.without(good); !lack.isEmpty() {
		j.UntrustedReason = jobSchema.firstFieldName(lack) + " is missing"
	}
}

// unusualFields are the fields of a job's request that choose among nodes in a way that fairbridge does not
// follow. In a plain "sbatch --gres=gpu:1" job they are empty, or have one of the values given. A job in which
// one of them is not plain has its name in UnusualRequest.
var unusualFields = []recordField[slurm.Job]{
	unusualText("burst_buffer"), unusualText("cluster_features"), unusualText("mcs_label"), unusualText("network"),
	unusualText("prefer"), unusualText("tres_bind"), unusualText("tres_per_socket"), unusualText("selinux_context"),
	unusualBool("contiguous"), unusualBool("reboot"),
	unusualNumber("core_spec", noValue16), unusualNumber("thread_spec", 0x7ffe, noValue16),
	unusualNumber("cores_per_socket"), unusualNumber("sockets_per_board"), unusualNumber("sockets_per_node"),
	unusualNumber("threads_per_core"), unusualNumber("tasks_per_board"), unusualNumber("tasks_per_core"),
	unusualNumber("tasks_per_node"), unusualNumber("tasks_per_socket"), unusualNumber("tasks_per_tres"),
	unusualNumber("minimum_tmp_disk_per_node"), unusualNumber("minimum_switches"), unusualNumber("required_switches"),
	unusualNumber("segment_size"), optionalField(recordField[slurm.Job]{"flags", readRequestFlags}),
}

// noValue16 is how Slurm writes that a number of 16 bits is not set.
const noValue16 = 0xfffe

// harmlessFlags are the flags of a job that say nothing of the nodes it needs, as all releases write them.
var harmlessFlags = strings.Fields(`JOB_CPUS_SET JOB_MEM_SET JOB_NTASKS_SET JOB_WAS_RUNNING JOB_ACCRUE_OVER
JOB_ACCRUE_TIME_RESET JOB_KILL_HURRY KILL_INV_DEP NO_KILL_INV_DEP KILL_INVALID_DEPENDENCY NO_KILL_INVALID_DEPENDENCY
HAS_STATE_DIR HAS_STATE_DIRECTORY BACKFILL_TEST BACKFILL_TEST_WHOLE TESTING_BACKFILL TESTING_WHOLE_NODE_BACKFILL
BACKFILL_ATTEMPTED SCHEDULING_ATTEMPTED CLEAR_SCHEDULING STARTED_ON_SCHEDULE STARTED_ON_SUBMIT STARTED_ON_BACKFILL
START_RECEIVED PARTITION_ASSIGNED DEPENDENT SEND_JOB_ENVIRONMENT SKIP_TRES_STRING_ACCOUNTING SIB_JOB_FLUSH
SIBLING_CLUSTER_UPDATE_ONLY HET_JOB HETEROGENEOUS_JOB CRON_JOB EXACT_TASK_COUNT_REQUESTED EXACT_CPU_COUNT_REQUESTED
EXACT_MEMORY_REQUESTED JOB_IMPLICIT_MAX_NODES TOP_PRIO_TMP TOP_PRIORITY_JOB ACCRUE_COUNT_CLEARED
GRES_DISABLE_BIND GRES_BINDING_DISABLED
USING_DEFAULT_ACCOUNT USING_DEFAULT_PARTITION USING_DEFAULT_QOS USING_DEFAULT_WCKEY STEPMGR_ENABLED NODE_MEM_CALC`)

// noteUnusual keeps the first field that is not plain.
func noteUnusual(j *slurm.Job, field string) {
	if j.UnusualRequest == "" {
		j.UnusualRequest = field
	}
}

func unusualText(name string) recordField[slurm.Job] {
	return recordField[slurm.Job]{name, func(s *replyInput, j *slurm.Job) valueStatus {
		text, got := s.readSharedString()
		return noteUnless(j, name, got, text == "" || text == "(null)")
	}}
}

func unusualBool(name string) recordField[slurm.Job] {
	return recordField[slurm.Job]{name, func(s *replyInput, j *slurm.Job) valueStatus {
		yes, got := s.ReadBool()
		return noteUnless(j, name, got, !yes)
	}}
}

func unusualNumber(name string, plain ...int64) recordField[slurm.Job] {
	return recordField[slurm.Job]{name, func(s *replyInput, j *slurm.Job) valueStatus {
		n, got := s.ReadNumber()
		return noteUnless(j, name, got, n == 0 || slices.Contains(plain, n))
	}}
}

// noteUnless notes a field whose value is there and not plain, or cannot be read. Neither spoils the record.
func noteUnless(j *slurm.Job, name string, got valueStatus, isPlain bool) valueStatus {
	if got == statusUnreadable || got == statusFound && !isPlain {
		noteUnusual(j, name)
	}
	if got == statusUnreadable {
		return statusAbsent
	}
	return got
}

func readRequestFlags(s *replyInput, j *slurm.Job) valueStatus {
	got := s.readWords(true)
	for _, flag := range s.lastWords {
		if flag = strings.TrimSpace(flag); !slices.Contains(harmlessFlags, flag) {
			noteUnusual(j, "flags: "+flag)
		}
	}
	return got
}
