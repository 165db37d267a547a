package decode

import (
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/scan"
)

// results reads results[] (an update) or status[] (a requeue, where entries
// are lists of entries).
func readResults(s *input, out *[]slurm.Result) {
	if s.Space() != '[' {
		s.Skip()
		return
	}
	s.Enter('[')
	for s.Next(']') {
		switch {
		case s.Space() == '[':
			readResults(s, out)
		case len(*out) >= s.limits.List:
			s.Fail("more than %d results: %w", s.limits.List, scan.ErrLimit)
		default:
			readResult(s, out)
		}
	}
}

// resultRecord is a result while it is read.
type resultRecord struct {
	slurm.Result
	why string
}

var resultShape = shaped(
	lenient(size("job_id", func(r *resultRecord) *int64 { return &r.Job })),
	lenient(remarks("step_id", func(r *resultRecord) *string { return &r.Step })),
	field[resultRecord]{"error_code", func(s *input, r *resultRecord) verdict {
		v, got := s.Number()
		r.Number = int(v)
		return got
	}},
	lenient(remarks("error", func(r *resultRecord) *string { return &r.Text })),
	lenient(remarks("why", func(r *resultRecord) *string { return &r.why })),
)

func readResult(s *input, out *[]slurm.Result) {
	var r resultRecord
	object("", resultShape, nothing[resultRecord]).read(s, &r)
	if r.why != "" && r.why != r.Text {
		if r.Text != "" {
			r.Text += ", "
		}
		r.Text += r.why
	}
	*out = append(*out, r.Result)
}

var pingShape = shaped(
	lenient(word("hostname", func(p *slurm.Ping) *string { return &p.Host })),
	pingWord("ping", "UP", pingUp),   // 22.05
	pingWord("pinged", "UP", pingUp), // until v0.0.44
	boolean("responding", pingUp),
	pingWord("mode", "PRIMARY", pingPrimary),
	boolean("primary", pingPrimary),
)

func pingUp(p *slurm.Ping) *bool      { return &p.Up }
func pingPrimary(p *slurm.Ping) *bool { return &p.Primary }

// pingWord makes the reader of a boolean written as a word.
func pingWord(name, yes string, at func(*slurm.Ping) *bool) field[slurm.Ping] {
	return field[slurm.Ping]{name, func(s *input, p *slurm.Ping) verdict {
		got := s.words(true)
		*at(p) = *at(p) || len(s.list) == 1 && s.list[0] == yes
		return got
	}}
}

func readPing(s *input, p *slurm.Ping) { pingShape.read(s, p) }

var diagShape = shaped(
	moment("req_time", func(d *slurm.Diag) *time.Time { return &d.Now }),
	moment("req_time_start", func(d *slurm.Diag) *time.Time { return &d.Since }),
	size("server_thread_count", func(d *slurm.Diag) *int { return &d.Threads }),
	size("agent_queue_size", func(d *slurm.Diag) *int { return &d.AgentQueue }),
	size("dbd_agent_queue_size", func(d *slurm.Diag) *int { return &d.DBDQueue }),
	size("schedule_queue_length", func(d *slurm.Diag) *int { return &d.Queue }),
	micros("schedule_cycle_last", func(d *slurm.Diag) *time.Duration { return &d.Cycle }),
	micros("schedule_cycle_max", func(d *slurm.Diag) *time.Duration { return &d.CycleMax }),
	micros("schedule_cycle_mean", func(d *slurm.Diag) *time.Duration { return &d.CycleMean }),
	size("schedule_cycle_per_minute", func(d *slurm.Diag) *int { return &d.PerMinute }),
	micros("bf_cycle_last", func(d *slurm.Diag) *time.Duration { return &d.Backfill }),
	micros("bf_cycle_max", func(d *slurm.Diag) *time.Duration { return &d.BackfillMax }),
	micros("bf_cycle_mean", func(d *slurm.Diag) *time.Duration { return &d.BackfillMean }),
	size("bf_last_depth", func(d *slurm.Diag) *int { return &d.BackfillDepth }),
	boolean("bf_active", func(d *slurm.Diag) *bool { return &d.Backfilling }),
	size("jobs_pending", func(d *slurm.Diag) *int { return &d.Pending }),
	size("jobs_running", func(d *slurm.Diag) *int { return &d.Running }),
)

func micros(name string, at func(*slurm.Diag) *time.Duration) field[slurm.Diag] {
	return span(name, time.Microsecond, at)
}
