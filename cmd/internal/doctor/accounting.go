package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fairbridge/accounting/stores"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

// accountingReader reads slurmdbd; each call names the records that make no sense.
type accountingReader interface {
	Jobs(ctx context.Context, from, to time.Time) ([]slurmdb.Job, []error, error)
	Associations(ctx context.Context) ([]slurmdb.Association, []error, error)
	Users(ctx context.Context) ([]slurmdb.User, []error, error)
}

// examineSlurmdbd looks at slurmdbd's records, and how far they were read; cluster is Slurm's own name.
func (r *Report) examineSlurmdbd(
	ctx context.Context, f *settings.File, open func(context.Context) (*rest.Client, error), db *stores.Stores,
	cluster string,
) {
	if f.Slurm.Accounting == 0 {
		return
	}
	through, err := db.ImportedThrough(ctx, cluster, time.Time{})
	if err != nil {
		r.addFinding("slurmdbd", LevelSkip, "", "%v", err)
		return
	}
	client, err := open(ctx)
	if err != nil {
		return // the finding on Slurm says so
	}
	r.checkSlurmdbd(ctx, slurmdb.New(client, cluster), through, f.Slurm.Accounting, time.Now())
}

// maxNamedRecords is how many bad records are named.
const maxNamedRecords = 5

// checkSlurmdbd looks for records of the last day that make no sense, and whether the daemon,
// which reads slurmdbd at an interval, has read it through lately; zero: it never did.
func (r *Report) checkSlurmdbd(ctx context.Context, db accountingReader, through time.Time, interval time.Duration,
	now time.Time) {
	jobs, bad, err := db.Jobs(ctx, now.Add(-24*time.Hour), now)
	if err == nil {
		var more []error
		_, more, err = db.Associations(ctx)
		bad = append(bad, more...)
	}
	if err == nil {
		var more []error
		_, more, err = db.Users(ctx)
		bad = append(bad, more...)
	}
	late := now.Sub(through)
	switch {
	case err != nil:
		r.addFinding("slurmdbd", LevelSkip, "", "%v", err)
	case len(bad) > 0:
		var names []string
		for _, err := range bad[:min(len(bad), maxNamedRecords)] {
			names = append(names, err.Error())
		}
		if more := len(bad) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("and %d more", more))
		}
		r.addFinding("slurmdbd", LevelWarn,
			"sacct -D -j JOB shows the record; once it is mended, fairbridge import --since DATE --again",
			"%s of the last day passed over, as making no sense: %s", policy.FormatCount(len(bad), "record"),
			strings.Join(names, "; "))
	case !through.IsZero() && late > max(3*interval, time.Hour):
		r.addFinding("slurmdbd", LevelWarn, "journalctl -u fairbridge says why; fairbridge import goes on from there",
			"its records were last read through %s ago: usage since then rests on what was seen",
			policy.FormatDuration(late.Round(time.Second)))
	default:
		r.addOK("slurmdbd", "%s of the last day read", policy.FormatCount(len(jobs), "record"))
	}
}
