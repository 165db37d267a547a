package startscore

import (
	"testing"
	"time"

	"fairbridge/bridge/estimate"
	"fairbridge/lab/experiment"
	"fairbridge/lab/generate"
	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/scripts/verify/part"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// look is one whose band is from one to three hours.
func look(started, slurm time.Duration) Look {
	l := Look{Outcome: estimate.Outcome{MadeAt: noon, Start: estimate.Band{Early: noon.Add(time.Hour), Middle: noon.Add(2 * time.Hour), Late: noon.Add(3 * time.Hour)}, Started: noon.Add(started)}}
	if slurm > 0 {
		l.SlurmStart = noon.Add(slurm)
	}
	return l
}

func TestScoreLooks(t *testing.T) {
	looks := []Look{look(30*time.Minute, 0), look(59*time.Minute+30*time.Second, 10*time.Hour), look(2*time.Hour, 6*time.Hour), look(150*time.Minute, 0), look(5*time.Hour, 0), {}}
	s := ScoreLooks(looks, nil)
	want := Score{
		LookCount: 5, HeldShare: 3. / 5, EarlyShare: 1. / 5, LateShare: 1. / 5, MedianError: 60*time.Minute + 30*time.Second, MedianWait: 2 * time.Hour,
		SharedCount: 2, SharedError: 30*time.Minute + 15*time.Second, SlurmError: (4*time.Hour + 10*time.Hour - 59*time.Minute - 30*time.Second) / 2,
	}
	if s != want {
		t.Errorf("%+v,\nwant %+v", s, want)
	}
	if s := ScoreLooks(looks, func(l *Look) bool { return !l.SlurmStart.IsZero() }); s.LookCount != 2 || s.ErrorRatio() == 0 {
		t.Errorf("%+v of the two", s)
	}
	if s := ScoreLooks(nil, nil); s != (Score{}) || s.ErrorRatio() != 0 {
		t.Errorf("%+v of nothing", s)
	}
}

// A short drawn day through Slurm, of a fixed seed: what is estimated is scored on what came of it.
func TestLooksOfADay(t *testing.T) {
	part.Only(t, "studies")
	nodes, err := cluster.ParseSpec("2x8")
	if err != nil {
		t.Fatal(err)
	}
	s, err := experiment.GenerateScenario("day", generate.WorkloadOptions{OfferedLoad: 3, DayCount: .2}, 4, nodes)
	if err != nil {
		t.Fatal(err)
	}
	choice, err := policyset.ParsePolicies("fairbridge", false)
	if err != nil {
		t.Fatal(err)
	}
	decide, err := choice[0].NewPolicy()
	if err != nil {
		t.Fatal(err)
	}
	looks, err := CollectLooks(s, decide, "fairbridge", 4)
	if err != nil {
		t.Fatal(err)
	}
	firsts, raw := 0, ScoreLooks(looks, nil)
	for i := range looks {
		l := &looks[i]
		if l.IsFirst {
			firsts++
		}
		if l.Started.Before(l.MadeAt) {
			t.Errorf("job %d was looked at at %v and started at %v", l.Job, l.MadeAt, l.Started)
		}
	}
	Calibrate(looks)
	calibrated := ScoreLooks(looks, nil)
	t.Logf("%d looks of %d jobs: %+v, raw %+v", len(looks), len(s.Jobs), calibrated, raw)
	if firsts == 0 || len(looks) <= firsts || calibrated.SharedCount == 0 {
		t.Errorf("%d looks, %d of them first, %d with Slurm's", len(looks), firsts, calibrated.SharedCount)
	}
	if calibrated.HeldShare < raw.HeldShare || calibrated.HeldShare < .6 {
		t.Errorf("bands hold %.2f of starts, %.2f uncalibrated", calibrated.HeldShare, raw.HeldShare)
	}
	if calibrated.ErrorRatio() >= 1 {
		t.Errorf("median error %.2f of Slurm's", calibrated.ErrorRatio())
	}
}
