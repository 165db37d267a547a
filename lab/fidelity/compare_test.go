package fidelity

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"fairbridge/replica/measure"
)

func startsOf(starts ...float64) *measure.Run {
	r := &measure.Run{}
	for i, s := range starts {
		r.JobOutcomes = append(r.JobOutcomes, measure.JobOutcome{ID: int64(i), Start: s, Finish: s + 100, ExclusiveRunSeconds: 100})
		r.MakespanSeconds = max(r.MakespanSeconds, s+100)
	}
	return r
}

func TestStartOrderCorrelation(t *testing.T) {
	for _, c := range []struct {
		a, b *measure.Run
		want float64
	}{
		{startsOf(1, 2, 3, 4), startsOf(10, 20, 30, 40), 1},
		{startsOf(1, 2, 3, 4), startsOf(4, 3, 2, 1), -1},
		{startsOf(1, 1, 3, 4), startsOf(2, 1, 3, 4), .95}, // the first two share a rank
	} {
		if got := StartOrderCorrelation(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}

func TestSummarize(t *testing.T) {
	f := Summarize(startsOf(0, 100, 200, 300))
	if f != (Figures{MeanWait: 150, P95Wait: 300, Makespan: 400, Slowdown: 2.5}) {
		t.Errorf("%+v", f)
	}
}

func TestWhatIsAllowed(t *testing.T) {
	narrow, wide := Row{Real: []float64{1000, 1001}}, Row{Real: []float64{900, 1100}}
	for _, c := range []struct {
		row       Row
		simulated float64
		want      bool
	}{
		{narrow, 1017, true}, {narrow, 1019, false}, {narrow, 982, false},
		{wide, 1099, true}, {wide, 1101, false}, {wide, 901, true},
	} {
		c.row.Simulated = []float64{c.simulated}
		if c.row.IsClose() != c.want {
			t.Errorf("%v of %v: %v", c.simulated, c.row.Real, !c.want)
		}
	}
}

func TestStreamsAreTheSameAtEveryCall(t *testing.T) {
	for i, s := range Streams() {
		again := Streams()[i]
		for k := range s.Jobs {
			j, l := s.Jobs[k], again.Jobs[k]
			if j.Arrive != l.Arrive || j.Duration != l.Duration || j.GPUs != l.GPUs || j.ArrayID != l.ArrayID || j.User != l.User {
				t.Fatalf("%s: job %d differs", s.Name, k)
			}
			if j.TimeLimit.Seconds() < j.Duration+60 || j.GPUs > s.NodeCount*s.GPUsPerNode {
				t.Errorf("%s: job %d cannot run: %+v", s.Name, k, j)
			}
		}
	}
}

// TestWorth: with fairbridge jobs wait half as long, simulated a quarter; what did not run alone is
// left out. Two accounts have jobs; of one of them the simulation says the contrary.
func TestWorth(t *testing.T) {
	alone, half, quarter := startsOf(0, 100, 200, 300), startsOf(0, 50, 100, 150), startsOf(0, 25, 50, 75)
	late := startsOf(0, 25, 300, 75)
	for _, r := range []*measure.Run{alone, half, quarter, late} {
		for i := range r.JobOutcomes {
			r.JobOutcomes[i].Account = []string{"research", "research", "vision", "research"}[i]
		}
	}
	comparison := func(stream string, arm Arm, real, simulated *measure.Run) Comparison {
		return Comparison{Stream: Stream{Name: stream}, Arm: arm, Release: "24.11.5", Real: []RealRun{{Run: *real}}, Simulated: []measure.Run{*simulated}}
	}
	var b bytes.Buffer
	writeWorth(&b, []Comparison{
		comparison("short", ArmAlone, alone, alone), comparison("short", ArmHolds, half, quarter), comparison("short", ArmStops, half, late), comparison("day", ArmHolds, half, half),
	})
	for _, row := range []string{
		"| short, holds, Slurm 24.11.5 | 1 and 1 | 0.50 / 0.25 | 0.70 / 0.55 |\n", // of 150 s of waiting in 250
		"| short, holds, Slurm 24.11.5 | 0.71 / 0.57 | – | 0.67 / 0.50 |\n",
		"| short, stops, Slurm 24.11.5 | 0.71 / 0.57 | – | **0.67 / 1.33** |\n",
	} {
		if !strings.Contains(b.String(), row) {
			t.Errorf("no row %s in\n%s", row, b.String())
		}
	}
	if strings.Contains(b.String(), "day") {
		t.Errorf("a stream that did not run alone is there:\n%s", b.String())
	}
}
