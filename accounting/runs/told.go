package runs

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm/slurmdb"
)

// told is a run as slurmdbd tells it: one row, or several where the run was
// resized.
type told struct {
	rows  []slurmdb.Job // all ended, sorted by submit
	final bool          // the last row ended the run, too
}

func (t *told) first() *slurmdb.Job { return &t.rows[0] }

func (t *told) last() *slurmdb.Job { return &t.rows[len(t.rows)-1] }

// toldRuns joins rows to runs, sorted by job, then submit. Rows that are not
// over yet are left to the polls.
func toldRuns(rows []slurmdb.Job) []told {
	rows = byJob(rows)
	var out []told
	for i, r := range rows {
		if i+1 < len(rows) && rows[i+1].ID == r.ID && rows[i+1].Submit.Equal(r.Submit) {
			continue // the same row again, read when more was known
		}
		if n := len(out); n > 0 && continues(out[n-1].last(), &r) {
			if out[n-1].final = r.State != resizing && r.Ended(); r.Ended() {
				out[n-1].rows = append(out[n-1].rows, r)
			}
			continue
		}
		if r.Ended() {
			out = append(out, told{[]slurmdb.Job{r}, r.State != resizing})
		}
	}
	return out
}

// byJob sorts a copy of the rows by job, then submit.
func byJob(rows []slurmdb.Job) []slurmdb.Job {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b slurmdb.Job) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), a.Submit.Compare(b.Submit), a.End.Compare(b.End))
	})
	return rows
}

// resizing ends a row, not the run.
const resizing = "RESIZING"

// continues reports whether a row goes on with the run that another row left
// at a change of its size: its submit time is the time of the change.
func continues(was, row *slurmdb.Job) bool {
	return was.State == resizing && was.ID == row.ID && was.User == row.User && was.End.Equal(row.Submit)
}

// startOf returns when a row began to hold what it holds; zero if it never did.
// Some releases repeat the run's start in rows that follow a change of size.
func startOf(r *slurmdb.Job) time.Time {
	if r.Nodes.Text == "" || r.Start.IsZero() {
		return time.Time{}
	}
	return later(r.Start, r.Submit)
}

// started returns when the run began; zero if it never did.
func (t *told) started() time.Time { return startOf(t.first()) }

// later reports whether the rows are but the later part of the known run: they
// begin at a change of size, when that was running.
func (t *told) later(k *rec) bool {
	f := t.first()
	return k.started != nil && k.started.Before(f.Submit) && k.user == value.Text(f.User) && !f.Start.IsZero() && !f.Start.After(f.Submit)
}

// short reports whether slurmdbd told more of the known run before.
func (t *told) short(k *rec) bool {
	return k != nil && k.ended != nil && k.ended.After(t.last().End) && !t.final && (k.authority || k.state == resizing)
}
