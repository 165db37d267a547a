package decode

import (
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/jsonscan"
)

// readTaskResults reads results[] (an update) or status[] (a requeue, where entries
// are lists of entries).
func readTaskResults(s *replyInput, out *[]slurm.TaskResult) {
	if s.SkipSpace() != '[' {
		s.SkipValue()
		return
	}
	s.EnterBracket('[')
	for s.NextItem(']') {
		switch {
		case s.SkipSpace() == '[':
			readTaskResults(s, out)
		case len(*out) >= s.limits.ListItems:
			s.Fail("more than %d results: %w", s.limits.ListItems, jsonscan.ErrOverLimit)
		default:
			readTaskResult(s, out)
		}
	}
}

// taskResultRecord is a result while it is read.
type taskResultRecord struct {
	slurm.TaskResult
	why string
}

var taskResultSchema = newRecordSchema(
	optionalField(nonNegativeField("job_id", func(r *taskResultRecord) *int64 { return &r.Job })),
	optionalField(humanTextField("step_id", func(r *taskResultRecord) *string { return &r.StepID })),
	recordField[taskResultRecord]{"error_code", func(s *replyInput, r *taskResultRecord) valueStatus {
		v, got := s.ReadNumber()
		r.ErrorNumber = int(v)
		return got
	}},
	optionalField(humanTextField("error", func(r *taskResultRecord) *string { return &r.Text })),
	optionalField(humanTextField("why", func(r *taskResultRecord) *string { return &r.why })),
)

func readTaskResult(s *replyInput, out *[]slurm.TaskResult) {
	var r taskResultRecord
	objectField("", taskResultSchema, skipValue[taskResultRecord]).read(s, &r)
	if r.why != "" && r.why != r.Text {
		if r.Text != "" {
			r.Text += ", "
		}
		r.Text += r.why
	}
	*out = append(*out, r.TaskResult)
}

var pingSchema = newRecordSchema(
	optionalField(sharedStringField("hostname", func(p *slurm.Ping) *string { return &p.Host })),
	wordBoolField("ping", "UP", pingUpPtr),   // 22.05
	wordBoolField("pinged", "UP", pingUpPtr), // until v0.0.44
	boolField("responding", pingUpPtr),
	wordBoolField("mode", "PRIMARY", pingPrimaryPtr),
	boolField("primary", pingPrimaryPtr),
)

func pingUpPtr(p *slurm.Ping) *bool { return &p.IsUp }

func pingPrimaryPtr(p *slurm.Ping) *bool { return &p.IsPrimary }

// wordBoolField makes the reader of a boolean written as a word.
func wordBoolField(name, yes string, at func(*slurm.Ping) *bool) recordField[slurm.Ping] {
	return recordField[slurm.Ping]{name, func(s *replyInput, p *slurm.Ping) valueStatus {
		got := s.readWords(true)
		*at(p) = *at(p) || len(s.lastWords) == 1 && s.lastWords[0] == yes
		return got
	}}
}

func readPing(s *replyInput, p *slurm.Ping) { pingSchema.readRecord(s, p) }

var diagSchema = newRecordSchema(
	timeField("req_time", func(d *slurm.Diag) *time.Time { return &d.Now }),
	timeField("req_time_start", func(d *slurm.Diag) *time.Time { return &d.CountersStart }),
	nonNegativeField("server_thread_count", func(d *slurm.Diag) *int { return &d.ServerThreads }),
	nonNegativeField("agent_queue_size", func(d *slurm.Diag) *int { return &d.AgentQueueSize }),
	nonNegativeField("dbd_agent_queue_size", func(d *slurm.Diag) *int { return &d.DBDAgentQueueSize }),
	nonNegativeField("schedule_queue_length", func(d *slurm.Diag) *int { return &d.ScheduleQueueLength }),
	microsecondsField("schedule_cycle_last", func(d *slurm.Diag) *time.Duration { return &d.CycleLast }),
	microsecondsField("schedule_cycle_max", func(d *slurm.Diag) *time.Duration { return &d.CycleMax }),
	microsecondsField("schedule_cycle_mean", func(d *slurm.Diag) *time.Duration { return &d.CycleMean }),
	nonNegativeField("schedule_cycle_total", func(d *slurm.Diag) *int { return &d.CycleCount }),
	nonNegativeField("schedule_cycle_per_minute", func(d *slurm.Diag) *int { return &d.CyclesPerMinute }),
	microsecondsField("bf_cycle_last", func(d *slurm.Diag) *time.Duration { return &d.BackfillLast }),
	microsecondsField("bf_cycle_max", func(d *slurm.Diag) *time.Duration { return &d.BackfillMax }),
	microsecondsField("bf_cycle_mean", func(d *slurm.Diag) *time.Duration { return &d.BackfillMean }),
	nonNegativeField("bf_cycle_counter", func(d *slurm.Diag) *int { return &d.BackfillCount }),
	nonNegativeField("bf_last_depth", func(d *slurm.Diag) *int { return &d.BackfillLastDepth }),
	boolField("bf_active", func(d *slurm.Diag) *bool { return &d.IsBackfilling }),
	nonNegativeField("jobs_pending", func(d *slurm.Diag) *int { return &d.PendingJobs }),
	nonNegativeField("jobs_running", func(d *slurm.Diag) *int { return &d.RunningJobs }),
	rpcCountsField("rpcs_by_message_type", func(d *slurm.Diag) *[]slurm.RPCCount { return &d.RPCsByType }),
	rpcCountsField("rpcs_by_user", func(d *slurm.Diag) *[]slurm.RPCCount { return &d.RPCsByUser }),
)

func microsecondsField(name string, at func(*slurm.Diag) *time.Duration) recordField[slurm.Diag] {
	return durationField(name, time.Microsecond, at)
}
