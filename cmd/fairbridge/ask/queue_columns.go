package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/startestimate"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

// queueColumn is a column of the queue.
type queueColumn struct {
	name, about string
	cell        func(j *api.QueueJob, now time.Time) any
	compare     func(a, b *api.QueueJob) int // nil: by the text of the cell
}

var queueColumns = []queueColumn{
	{"partition", "partition", func(j *api.QueueJob, _ time.Time) any { return j.Partition }, nil},
	{"rank", "place in line, from 1; jobs that run have one too", func(j *api.QueueJob, _ time.Time) any { return j.Rank }, compareBy(func(j *api.QueueJob) int { return j.Rank })},
	{"job", "the job as squeue names it", func(j *api.QueueJob, _ time.Time) any { return j.Address }, compareBy(func(j *api.QueueJob) policy.JobID { return j.JobID })},
	{"id", "Slurm's number of its record", func(j *api.QueueJob, _ time.Time) any { return j.JobID }, compareBy(func(j *api.QueueJob) policy.JobID { return j.JobID })},
	{"name", "its name", func(j *api.QueueJob, _ time.Time) any { return printable.Truncate(j.Name, 24) }, compareBy(func(j *api.QueueJob) string { return j.Name })},
	{"user", "its user", func(j *api.QueueJob, _ time.Time) any { return printable.Truncate(j.User, 12) }, compareBy(func(j *api.QueueJob) string { return j.User })},
	{"account", "its account", func(j *api.QueueJob, _ time.Time) any { return printable.Truncate(j.Account, 14) }, compareBy(func(j *api.QueueJob) string { return j.Account })},
	{"gpus", "GPUs it holds or asks for: 12 (3x4) are three tasks of four", func(j *api.QueueJob, _ time.Time) any { return GPUsText(j.GPUs, j.Tasks) }, compareBy(func(j *api.QueueJob) int { return j.GPUs })},
	{"state", "Slurm's state of it", func(j *api.QueueJob, _ time.Time) any {
		return output.Painted{Text: j.State, Colour: stateColours[j.State]}
	}, nil},
	{"reason", "Slurm's reason", func(j *api.QueueJob, _ time.Time) any { return printable.Truncate(j.Reason, 30) }, nil},
	{"verb", "what was decided", func(j *api.QueueJob, _ time.Time) any {
		return output.Painted{Text: fmt.Sprint(j.Verb), Colour: verbColours[fmt.Sprint(j.Verb)]}
	}, nil},
	{"on", "the nodes and GPUs that was decided for", func(j *api.QueueJob, _ time.Time) any { return printable.Truncate(j.Placement, 28) }, nil},
	{"age", "time since it was submitted", func(j *api.QueueJob, now time.Time) any { return output.FormatAge(now, j.Arrive) }, func(a, b *api.QueueJob) int { return b.Arrive.Compare(a.Arrive) }},
	{"submitted", "when it was submitted", func(j *api.QueueJob, now time.Time) any { return output.FormatTime(j.Arrive, now) }, compareTimes(func(j *api.QueueJob) time.Time { return j.Arrive })},
	{"started", "when it started", func(j *api.QueueJob, now time.Time) any { return output.FormatTime(j.Start, now) }, compareTimes(func(j *api.QueueJob) time.Time { return j.Start })},
	{"early", "one in ten such jobs starts within this time from now", untilCell(func(j *api.QueueJob) time.Time { return j.Estimate.Start.Early }), compareEstimates(func(j *api.QueueJob) time.Time { return j.Estimate.Start.Early })},
	{"middle", "half of such jobs do", untilCell(func(j *api.QueueJob) time.Time { return j.Estimate.Start.Middle }), compareEstimates(func(j *api.QueueJob) time.Time { return j.Estimate.Start.Middle })},
	{"late", "nine in ten do", untilCell(func(j *api.QueueJob) time.Time { return j.Estimate.Start.Late }), compareEstimates(func(j *api.QueueJob) time.Time { return j.Estimate.Start.Late })},
	{"estimated", "how long ago that was estimated", estimatedCell, compareEstimates(func(j *api.QueueJob) time.Time { return j.Estimate.MadeAt })},
	{"why", "why that was decided, and what of it was not sent to Slurm", func(j *api.QueueJob, _ time.Time) any { return whyText(j) }, nil},
}

var (
	reasonColumns   = strings.Fields("partition rank job user account gpus state verb age why")
	estimateColumns = strings.Fields("partition rank job user gpus state early middle late estimated")

	verbColours  = map[string]output.Colour{"start": output.Green, "wait": output.Yellow, "hold": output.Blue, "stop": output.Red}
	stateColours = map[string]output.Colour{"RUNNING": output.Green}
)

func compareBy[T cmp.Ordered](of func(j *api.QueueJob) T) func(a, b *api.QueueJob) int {
	return func(a, b *api.QueueJob) int { return cmp.Compare(of(a), of(b)) }
}

func compareTimes(of func(j *api.QueueJob) time.Time) func(a, b *api.QueueJob) int {
	return func(a, b *api.QueueJob) int { return of(a).Compare(of(b)) }
}

// compareEstimates puts jobs without an estimate last.
func compareEstimates(of func(j *api.QueueJob) time.Time) func(a, b *api.QueueJob) int {
	return func(a, b *api.QueueJob) int {
		switch {
		case a.Estimate != nil && b.Estimate != nil:
			return of(a).Compare(of(b))
		case a.Estimate != nil:
			return -1
		case b.Estimate != nil:
			return 1
		}
		return 0
	}
}

func untilCell(of func(j *api.QueueJob) time.Time) func(j *api.QueueJob, now time.Time) any {
	return func(j *api.QueueJob, now time.Time) any {
		if j.Estimate == nil {
			return "–"
		}
		if startestimate.IsPast(j.Estimate.Start.Late, now) {
			return "past"
		}
		return untilText(of(j), now)
	}
}

func estimatedCell(j *api.QueueJob, now time.Time) any {
	if j.Estimate == nil {
		return "–"
	}
	return output.FormatAge(now, j.Estimate.MadeAt)
}

// untilText says how far ahead a moment is, in minutes: "2h10m", or "now" when that is none.
func untilText(t, now time.Time) string {
	if d := t.Sub(now).Round(time.Minute); d > 0 {
		return policy.FormatDuration(d)
	}
	return "now"
}

func whyText(j *api.QueueJob) string {
	why := j.Why
	for _, no := range j.NotPushed {
		why += "; not sent to Slurm: " + no
	}
	return why
}

// findColumns returns the columns of the names.
func findColumns(flag string, names []string) (list []queueColumn, err error) {
	for _, name := range names {
		i := slices.IndexFunc(queueColumns, func(c queueColumn) bool { return c.name == strings.ToLower(strings.TrimSpace(name)) })
		if i < 0 {
			return nil, fmt.Errorf("%s: there is no column %q; fairbridge queue --format help lists them", flag, printable.Truncate(name, 40))
		}
		list = append(list, queueColumns[i])
	}
	return list, nil
}

// sortJobs sorts by columns, the first name first; one that begins with - the other way round.
// Jobs that are alike stay as they are, by partition and rank.
func sortJobs(jobs []api.QueueJob, names []string) error {
	descends := make([]bool, len(names))
	plain := make([]string, len(names))
	for i, name := range names {
		plain[i], descends[i] = strings.CutPrefix(strings.TrimSpace(name), "-")
		plain[i] = strings.TrimPrefix(plain[i], "+")
	}
	columns, err := findColumns("--sort", plain)
	if err != nil {
		return err
	}
	slices.SortStableFunc(jobs, func(a, b api.QueueJob) int {
		for i, c := range columns {
			if order := c.order(&a, &b); order != 0 && descends[i] {
				return -order
			} else if order != 0 {
				return order
			}
		}
		return 0
	})
	return nil
}

func (c *queueColumn) order(a, b *api.QueueJob) int {
	if c.compare != nil {
		return c.compare(a, b)
	}
	return cmp.Compare(fmt.Sprint(c.cell(a, time.Time{})), fmt.Sprint(c.cell(b, time.Time{})))
}
