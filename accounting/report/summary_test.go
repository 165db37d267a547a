package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
)

func answer(name string, columns string, rows ...[]any) Answer {
	r, ok := FindReport(name)
	if !ok {
		panic("there is no report " + name)
	}
	return Answer{r, &Table{strings.Fields(columns), rows}}
}

func TestSummaries(t *testing.T) {
	for want, a := range map[string]Answer{
		"2 accounts used 40.0 GPU-hours; most of them account bio, 75 %.":                  answer("usage", "account gpu_hours", []any{"ml", 10.0}, []any{"bio", 30.0}),
		"10.0 GPU-hours were measured: 60 % busy, 30 % idle, 10 % held without a process.": answer("efficiency", "account measured_gpu_hours busy_gpu_hours idle_gpu_hours held_without_process_gpu_hours", []any{"ml", 10.0, 6.0, 3.0, 1.0}),
		"How GPUs were used was not measured.":                                             answer("efficiency", "account measured_gpu_hours", []any{"ml", nil}),
		"Jobs of account ml waited longest: in the median 2h10m.":                          answer("waits", "account median_seconds", []any{"ml", 7800.0}, []any{"bio", 60.0}),
		"Jobs of account bio waited longest: in the mean 1m.":                              answer("waits", "account mean_seconds", []any{"bio", 60.0}),
		"No job waited.": answer("waits", "account mean_seconds", []any{"bio", 0.0}),
		"Account ml lacks most of its share: 4.0 GPU-hours of the 16.0 GPU-hours that were its due.":       answer("shares", "account deficit_gpu_hours due_gpu_hours", []any{"ml", 4.0, 16.0}),
		"No account that wanted something lacked any of its share.":                                        answer("shares", "account deficit_gpu_hours", []any{"ml", 0.0}),
		"6.0 of 32.0 GPUs were idle on average, 19 %.":                                                     answer("idle", "day gpu_type gpus idle_gpus", []any{"2026-03-02", "a100", 16.0, 2.0}, []any{"2026-03-02", "h100", 16.0, 4.0}, []any{"2026-03-03", "a100", 16.0, 2.0}, []any{"2026-03-03", "h100", 16.0, 4.0}),
		"fairbridge stopped 1 run, which lost 2.5 GPU-hours at most; others stopped 3.":                    answer("stops", "account by_fairbridge by_slurm by_node by_other lost_to_fairbridge_gpu_hours", []any{"ml", int64(1), int64(2), int64(0), int64(1), 2.5}),
		"Job 47_3 of ann left most unused: 8.0 GPU-hours.":                                                 answer("wasteful-jobs", "address user wasted_gpu_hours", []any{"47_3", "ann", 8.0}),
		"Of the hours in time limits 75 % were not needed.":                                                answer("limits", "user limit_hours excess_hours", []any{"ann", 8.0, 6.0}),
		"Most often worse off than by an equal part of the cluster were jobs of account ml: 25 % of them.": answer("fairness", "account unfair_share", []any{"ml", .25}, []any{"bio", nil}),
		"No job came off worse than an equal part of the cluster would have let it.":                       answer("fairness", "account unfair_share", []any{"ml", 0.0}),
		"At the end of this time 1 job held 3 GPUs idle.":                                                  answer("idle-now", "address node idle_gpus", []any{"7_1", "n1", int64(1)}, []any{"7_1", "n2", int64(2)}),
		"": answer("usage", "account gpu_hours"),
	} {
		if got := a.summarize(); got != want {
			t.Errorf("%s: %q, want %q", a.Name, got, want)
		}
	}
	for name := range summaries {
		if _, ok := FindReport(name); !ok {
			t.Errorf("there is a sentence of report %s, which does not exist", name)
		}
	}
}

// The page says what it shows in words first, names days and suiting units on its axes, prints values beside
// bars, and folds what is empty.
func TestPage(t *testing.T) {
	since := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	var b bytes.Buffer
	err := WritePage(&b, Scope{Cluster: "c1", Since: since, Until: since.AddDate(0, 0, 6)}, []Answer{
		answer("usage", "account gpu_hours", []any{"ml", 12345.6}, []any{"<b>", 3.25}),
		answer("usage-daily", "day account gpu_hours", []any{"2026-03-02", "ml", 5.0}, []any{"2026-03-08", "ml", 7.0}),
		answer("waits", "account median_seconds p95_seconds", []any{"ml", 7200.0, 36000.0}),
		answer("shares", "account entitled_share used_share", []any{"ml", .5, .125}),
		answer("stops", "account lost_gpu_hours"),
	}, "by a test")
	if err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"2 accounts used 12348.", `href="#usage-h"`, `class="value">12346</text>`, `class="value">3.25</text>`,
		`class="tick mid">2 Mar</text>`, `class="tick end">8 Mar</text>`, "day (UTC), 2026", `class="label mid">hours</text>`, `class="value">10 (2)</text>`,
		"% of the cluster</text>", `class="value">12.5 (2)</text>`, `<details class="empty">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "days since") || strings.Contains(page, "<b>") || regexp.MustCompile(`class="label mid">seconds`).MatchString(page) {
		t.Error("the page has days since, seconds or a name that became HTML")
	}
	if strings.Index(page, `class="findings"`) > strings.Index(page, "<table") {
		t.Error("the words do not come first")
	}
}
