package workday

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var zero = time.Unix(1_000_000, 0)

// run is a run of job at the given seconds, on so many GPUs.
func run(job int64, name, account string, gpus, submit, start, end int, state string) RunRecord {
	at := func(s int) time.Time { return zero.Add(time.Duration(s) * time.Second) }
	return RunRecord{JobID: job, Name: name, Account: account, GPUs: gpus, Submit: at(submit), Start: at(start), End: at(end), State: state}
}

// small is a day on 4 GPUs of accounts a and b with one share each: a takes all
// for 10 s, b's job comes at 2, waits until a's gives way at 4, and a's goes on
// at 9, after b's 4 seconds and one idle.
var (
	small = []Job{
		{Name: "long", Account: "a", NodeCount: 1, GPUsPerNode: 4, WorkTime: 10 * time.Second},
		{Name: "short", Account: "b", NodeCount: 1, GPUsPerNode: 2, WorkTime: 4 * time.Second, SubmitAt: 2 * time.Second},
	}
	smallRuns = []RunRecord{
		run(2, "short", "b", 2, 2, 4, 8, "COMPLETED"),
		run(1, "long", "a", 4, 4, 9, 15, "COMPLETED"),
		run(1, "long", "a", 4, 0, 0, 4, "REQUEUED"),
	}
	equal = map[string]float64{"a": 1, "b": 1}
)

func TestFiguresByHand(t *testing.T) {
	got, err := MeasureFigures(small, smallRuns, 4, equal)
	if err != nil {
		t.Fatal(err)
	}
	// Alone on 2 GPUs, long takes 20 s and short 4 s: 15/20 and 6/4. Somebody
	// waits from 2 to 9, 28 GPU-seconds: a holds 4 GPUs for 2 s, b 2 for 4 s, and
	// 12 are idle. Both ask for at least half until 8, so 2 GPUs are due to each
	// for 6 s; in the last second a alone asks, for all 4.
	want := &Figures{
		JobCount: 2, WaitMedian: 2, WaitP95: 5, WaitMean: 3.5, TurnaroundMedian: 6, TurnaroundMean: 10.5,
		FairnessMedian: 0.75, FairnessWorst: 1.5, UnfairFraction: 0.5, RequeueCount: 1, MakespanSeconds: 15,
		IdleFraction: 1 - (40.0+8)/60, ContendedIdleFraction: 12.0 / 28,
		AccountShares: []AccountShare{{"a", 8.0 / 28, 16.0 / 28}, {"b", 8.0 / 28, 12.0 / 28}},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
}

func TestARequeuedRunThatWasClosedLateEndsWithItsRequeue(t *testing.T) {
	late := append([]RunRecord{run(1, "long", "a", 4, 0, 0, 12, "REQUEUED")}, smallRuns[:2]...)
	got, err := MeasureFigures(small, late, 4, equal)
	want, _ := MeasureFigures(small, smallRuns, 4, equal)
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Error(err, d)
	}
	double := []RunRecord{run(1, "long", "a", 4, 0, 0, 10, "COMPLETED"), run(2, "short", "b", 2, 2, 4, 8, "COMPLETED")}
	if got, _ := MeasureFigures(small, double, 4, equal); got == nil || got.ExcessGPUs != 2 {
		t.Errorf("6 of 4 GPUs are held at once: %+v", got)
	}
}

// TestARunRecordedInPartsIsOneRun divides a run as Slurm does when a node list comes at the
// moment of its start, within the second or later.
func TestARunRecordedInPartsIsOneRun(t *testing.T) {
	want, _ := MeasureFigures(small, smallRuns, 4, equal)
	for _, end := range []int{4, 5} {
		parts := append([]RunRecord{run(2, "short", "b", 2, 2, end, 8, "COMPLETED"), run(2, "short", "b", 2, 2, 4, end, "RESIZING")}, smallRuns[1:]...)
		got, err := MeasureFigures(small, parts, 4, equal)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("divided at %d: %v %s", end, err, d)
		}
	}
}

func TestADayThatDidNotEndWellIsNotMeasured(t *testing.T) {
	failed := append([]RunRecord{run(2, "short", "b", 2, 2, 4, 8, "FAILED")}, smallRuns[1:]...)
	for name, c := range map[string]struct {
		runs []RunRecord
		says string
	}{
		"a job is missing":     {smallRuns[1:], "of job short Slurm's records have 0, want 1"},
		"a job failed":         {failed, "job 2 (short) ended as FAILED"},
		"a job only requeued":  {[]RunRecord{smallRuns[0], smallRuns[2]}, "job 1 (long) ended as REQUEUED"},
		"there are no records": {nil, "have 0, want 1"},
	} {
		if _, err := MeasureFigures(small, c.runs, 4, equal); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q in it", name, err, c.says)
		}
	}
}

func TestIsolatedTimes(t *testing.T) {
	s := time.Second
	day := []Job{
		{Name: "x", Account: "a", NodeCount: 1, GPUsPerNode: 1, ArrayTasks: 3, WorkTime: 4 * s},
		{Name: "wide", Account: "a", NodeCount: 2, GPUsPerNode: 2, WorkTime: 3 * s, SubmitAt: 1 * s},
		{Name: "y", Account: "a", NodeCount: 1, GPUsPerNode: 1, WorkTime: 2 * s, SubmitAt: 20 * s},
		{Name: "z", Account: "b", NodeCount: 1, GPUsPerNode: 1, WorkTime: 5 * s, SubmitAt: 1 * s},
	}
	// a has 2 of 3 GPUs: tasks 0 and 1 run to 4, task 2 to 8, wide on half of what
	// it wants from 8 to 14, and y finds it idle. b has one of its own.
	want := map[JobKey]time.Duration{
		{"x", 0}: 4 * s, {"x", 1}: 4 * s, {"x", 2}: 8 * s, {"wide", 0}: 13 * s, {"y", 0}: 2 * s, {"z", 0}: 5 * s,
	}
	if d := cmp.Diff(want, isolatedTimeByJob(day, 3, map[string]float64{"a": 2, "b": 1})); d != "" {
		t.Error(d)
	}
}

func TestFillGivesWhatIsNotAskedForToOthers(t *testing.T) {
	weights := map[string]float64{"a": 2, "b": 1, "c": 1}
	for name, c := range map[string]struct{ demand, want map[string]float64 }{
		"all ask for all":    {map[string]float64{"a": 32, "b": 32, "c": 32}, map[string]float64{"a": 16, "b": 8, "c": 8}},
		"one asks for less":  {map[string]float64{"a": 32, "b": 2, "c": 32}, map[string]float64{"a": 20, "b": 2, "c": 10}},
		"one asks at all":    {map[string]float64{"b": 40}, map[string]float64{"a": 0, "b": 32, "c": 0}},
		"less than there is": {map[string]float64{"a": 3, "b": 1, "c": 5}, map[string]float64{"a": 3, "b": 1, "c": 5}},
		"nobody asks":        {nil, map[string]float64{"a": 0, "b": 0, "c": 0}},
	} {
		if d := cmp.Diff(c.want, divideByWeight(32, c.demand, weights), cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestQuantileIsAValueThatOccurs(t *testing.T) {
	v := []float64{9, 1, 5, 3}
	for q, want := range map[float64]float64{0: 1, 0.25: 1, 0.5: 3, 0.51: 5, 0.95: 9, 1: 9} {
		if got := quantile(v, q); got != want {
			t.Errorf("quantile %v of %v is %v, want %v", q, v, got, want)
		}
	}
	if got := quantile(nil, 0.5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
