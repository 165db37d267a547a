package harm

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
)

// learnt is a check of a policy that learnt: mean completion by it and by its teacher, in minutes.
func learnt(jobs int, by, teacher, band float64) Check {
	f := Figure{Kind: Completion, JobCount: jobs, Live: 60 * by, Alone: 60 * teacher, Band: 60 * band}
	return JudgeMeasurement("gpu", noon, Measurement{Since: noon.Add(-LearnerWindow), Until: noon, Policy: "dl2", JobCount: jobs, Figures: []Figure{f}}, DefaultBounds())
}

// TestFallback: more than a tenth longer than by the teacher, beyond doubt, is enough.
func TestFallback(t *testing.T) {
	b := DefaultBounds()
	for _, c := range []struct {
		name  string
		check Check
		want  bool
	}{
		{"a fifth longer", learnt(100, 120, 100, 5), true},
		{"a tenth longer", learnt(100, 110, 100, 0), false},
		{"a fifth longer, but nobody is sure", learnt(100, 120, 100, 15), false},
		{"of few jobs", learnt(29, 200, 100, 0), false},
		{"shorter", learnt(100, 80, 100, 0), false},
		{"of Slurm alone", JudgeMeasurement("gpu", noon, Measurement{Figures: []Figure{waits(100, 200, 60, 1)}}, b), false},
	} {
		d, yes := DecideFallback(&c.check, "dl2 step=2", b)
		if yes != c.want {
			t.Errorf("%s: %v, %s", c.name, yes, c.check.Summarize())
		}
		if yes && (d.By != bridge.TeacherGuardName || d.Candidate != "dl2 step=2" || d.Partition != "gpu" || !strings.Contains(d.Why, "took 2h in the mean by what it learnt; by its teacher it would have been 1h40m")) {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
	b.Lasts = time.Hour
	c := learnt(100, 120, 100, 5)
	if d, _ := DecideFallback(&c, "dl2", b); !d.Until.Equal(noon.Add(time.Hour)) {
		t.Errorf("%+v", d)
	}
	b.Demote = false
	if _, yes := DecideFallback(&c, "dl2", b); yes {
		t.Error("demoted, though checks are only to be recorded")
	}
}

// TestLearnersDoNotDemotePartitions: checks against a teacher say nothing of Slurm alone.
func TestLearnersDoNotDemotePartitions(t *testing.T) {
	b, checks := DefaultBounds(), []Check{}
	for hours := range 5 {
		c := learnt(100, 200, 100, 0)
		c.At = noon.Add(-time.Duration(hours) * time.Hour)
		checks = append(checks, c)
	}
	if d, yes := DecideDemotionByTurns(checks, "", b); yes {
		t.Errorf("%+v", d)
	}
}
