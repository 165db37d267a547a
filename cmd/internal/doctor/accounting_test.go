package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm/slurmdb"
)

// records are slurmdbd's: so many jobs, and what makes no sense.
type records struct {
	jobs             int
	badJobs, badUser []error
	fails            error
}

func (r records) Jobs(context.Context, time.Time, time.Time) ([]slurmdb.Job, []error, error) {
	return make([]slurmdb.Job, r.jobs), r.badJobs, r.fails
}

func (r records) Associations(context.Context) ([]slurmdb.Association, []error, error) {
	return nil, nil, nil
}

func (r records) Users(context.Context) ([]slurmdb.User, []error, error) { return nil, r.badUser, nil }

// TestSlurmdbd wants bad records named, and told that reading stands still.
func TestSlurmdbd(t *testing.T) {
	now := time.Unix(1e9, 0)
	many := []error{errors.New("job 3 ends"), errors.New("job 4"), errors.New("job 5"), errors.New("job 6")}
	const passedOver = " of the last day passed over, as making no sense: job 3 ends"
	for _, c := range []struct {
		db      records
		through time.Time
		want    string
	}{
		{records{jobs: 7}, now.Add(-time.Hour), "ok 7 records of the last day read"},
		{records{}, time.Time{}, "ok 0 records of the last day read"},
		{records{fails: errors.New("gone")}, now, "skip gone"},
		{records{jobs: 7}, now.Add(-2 * time.Hour), "warn its records were last read through 2h ago"},
		{records{badUser: many[:1]}, now, "warn 1 record" + passedOver},
		{records{badJobs: many, badUser: many[:2]}, now, "warn 6 records" + passedOver +
			"; job 4; job 5; job 6; job 3 ends; and 1 more"},
	} {
		var r Report
		r.checkSlurmdbd(t.Context(), c.db, c.through, 10*time.Minute, now)
		if got := string(r[0].Level) + " " + r[0].Text; len(r) != 1 || !strings.HasPrefix(got, c.want) ||
			(r[0].Fix == "") == (r[0].Level == LevelWarn) {
			t.Errorf("%+v, want %s", r, c.want)
		}
	}
}
