package demo

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/cmd/fairbridge-demo/workday"
)

func TestQuestions(t *testing.T) {
	run := func(job int64, name string, submit, start, end int) workday.RunRecord {
		at := func(s int) time.Time { return time.Unix(int64(1_000_000+s), 0) }
		return workday.RunRecord{JobID: job, Name: name, GPUs: 2, Submit: at(submit), Start: at(start), End: at(end), State: "COMPLETED"}
	}
	before := workday.OutcomesFromRecords([]workday.RunRecord{run(1, "long", 0, 0, 10), run(2, "short", 2, 10, 14)})
	after := workday.OutcomesFromRecords([]workday.RunRecord{run(2, "short", 2, 4, 8), run(1, "long", 4, 9, 15), run(1, "long", 0, 0, 4)})
	var got []string
	for _, q := range findQuestions(before, after) {
		got = append(got, q.why(q.jobs[0]))
	}
	want := []string{"short waited long, 2 s", "long was requeued", "short waited 2 s, 8 s on Slurm alone"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, q := range findQuestions(nil, nil) {
		if len(q.jobs) > 0 {
			t.Errorf("a day without jobs asks about %v", q.jobs)
		}
	}
}
