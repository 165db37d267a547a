package report

import (
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
)

var t0 = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func minutes(n int) time.Time { return t0.Add(time.Duration(n) * time.Minute) }

// fine is a job of 2 GPUs and 2 hours about which there is nothing to say.
func fine() *JobUse {
	r := RunUse{
		Arrive: t0.Add(-time.Hour), Submit: t0.Add(-time.Hour), Start: t0, End: minutes(120), IsOver: true, State: "COMPLETED", GPUCount: 2,
		TimeLimit: 3 * 3600, Elapsed: 7200, GPUTime: 14400, MeasuredGPUTime: 14000, BusyGPUTime: 12000, MemoryShare: policy.KnownValue(0.6),
	}
	g := GPUUseByRun{
		Node: "n1", UUID: "GPU-1", SampleCount: 480, Busy: policy.KnownValue(0.85), MaxBusy: policy.KnownValue(1), MemoryShare: policy.KnownValue(0.6), MaxMemoryShare: policy.KnownValue(0.7),
		FirstBusy: minutes(1), LastBusy: minutes(119), FirstReading: t0, LastReading: minutes(120), MaxSharingJobs: 1,
	}
	h := g
	h.UUID = "GPU-2"
	return &JobUse{ID: 7, Runs: []RunUse{r}, GPUs: []GPUUseByRun{g, h}}
}

func TestNotes(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*JobUse)
		want   string // in a note
	}{
		{"fine", func(*JobUse) {}, "Nothing to change."},
		{"waits", func(j *JobUse) { j.Runs[0].Start = time.Time{} }, "fairbridge explain 7 says why"},
		{"one unused", func(j *JobUse) { j.GPUs[1].MaxBusy = policy.KnownValue(0) }, "Used 1 of 2 GPUs; never 1 % busy: n1 GPU-2"},
		{"all unused", func(j *JobUse) { j.GPUs[0].MaxBusy, j.GPUs[1].MaxBusy = policy.KnownValue(0), policy.KnownValue(0.001) }, "Used none of its 2 GPUs"},
		{"one unused, not all measured", func(j *JobUse) { j.GPUs[1].MaxBusy, j.Runs[0].GPUCount = policy.KnownValue(0), 4 }, "Of its 4 GPUs 2 were measured, and of those 1 never 1 % busy: n1 GPU-2"},
		{"unknown is not unused", func(j *JobUse) { j.GPUs[1].MaxBusy, j.GPUs[1].Busy = policy.OptionalValue{}, policy.OptionalValue{} }, "Nothing to change."},
		{"two readings say little", func(j *JobUse) { j.GPUs[1].MaxBusy, j.GPUs[1].SampleCount = policy.KnownValue(0), 2 }, "Nothing to change."},
		{"shared is not unused", func(j *JobUse) { j.GPUs[1].MaxBusy, j.GPUs[1].MaxSharingJobs = policy.KnownValue(0), 2 }, "Nothing to change."},
		{"no process", func(j *JobUse) { j.Runs[0].NoProcessGPUTime = 7000 }, "without any process for 1.9 GPU-hours of 3.9"},
		{"late begin", func(j *JobUse) { j.GPUs[0].FirstBusy, j.GPUs[1].FirstBusy = minutes(40), minutes(60) }, "GPUs idle for 40m before it began"},
		{"begin not measured", func(j *JobUse) {
			for i := range j.GPUs {
				j.GPUs[i].FirstReading, j.GPUs[i].FirstBusy = minutes(40), minutes(40)
			}
		}, "Nothing to change."},
		{"idle end", func(j *JobUse) { j.GPUs[0].LastBusy, j.GPUs[1].LastBusy = minutes(60), minutes(50) }, "idle for the last 1h"},
		{"stuck", func(j *JobUse) {
			j.Runs[0].IsOver, j.Runs[0].State = false, "RUNNING"
			j.GPUs[0].LastBusy, j.GPUs[1].LastBusy = minutes(60), minutes(50)
		}, "is it stuck?"},
		{"little use", func(j *JobUse) { j.Runs[0].BusyGPUTime = 1400 }, "GPUs 10 % busy: do they wait for input?"},
		{"little use, little memory", func(j *JobUse) { j.Runs[0].BusyGPUTime, j.Runs[0].MemoryShare = 1400, policy.KnownValue(0.05) }, "a MIG slice"},
		{"long limit", func(j *JobUse) { j.Runs[0].TimeLimit = 40 * 3600 }, "Time limit 20 × too long: it took 2h of 1d16h. With --time=03:00:00"},
		{"long limit, cancelled", func(j *JobUse) { j.Runs[0].TimeLimit, j.Runs[0].State = 40*3600, "CANCELLED" }, "Nothing to change."},
		{"timeout", func(j *JobUse) { j.Runs[0].State = "TIMEOUT" }, "Its time limit of 3h ended it"},
		{"memory", func(j *JobUse) { j.Runs[0].State = "OUT_OF_MEMORY" }, "--mem"},
		{"stopped", func(j *JobUse) {
			first := j.Runs[0]
			first.StoppedBy, first.State = "fairbridge", "REQUEUED"
			j.Runs = append([]RunUse{first}, j.Runs...)
		}, "Stopped 1 × before it was done, which cost up to 4.0 GPU-hours"},
		{"throttled", func(j *JobUse) { j.GPUs[0].ThrottledSamples = 100 }, "slowed down by heat or power in 10 %"},
		{"not measured", func(j *JobUse) { j.GPUs, j.Runs[0].MeasuredGPUTime, j.Runs[0].BusyGPUTime = nil, 0, 0 }, "were not measured"},
		{"partly measured", func(j *JobUse) { j.Runs[0].MeasuredGPUTime, j.Runs[0].BusyGPUTime = 3600, 3000 }, "Only 25 % of its GPU time was measured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := fine()
			c.change(j)
			notes := j.Notes()
			if !strings.Contains(strings.Join(notes, "\n"), c.want) || len(notes) != 1 {
				t.Errorf("notes %q, want one with %q", notes, c.want)
			}
		})
	}
}

func TestLimitIsAskedAsSbatchTakesIt(t *testing.T) {
	for d, want := range map[time.Duration]string{20 * time.Minute: "00:20:00", 90 * time.Minute: "01:30:00", 26 * time.Hour: "1-02:00:00"} {
		if got := formatSlurmTime(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
