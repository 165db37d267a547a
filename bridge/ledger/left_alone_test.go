package ledger

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestWhichJobsAreMeant: a record, an array with all its records, or one task; a later restart is the same
// job, a job that got the id later is not.
func TestWhichJobsAreMeant(t *testing.T) {
	at := noon.Unix()
	record := func(id int64, change func(*slurm.Job)) slurm.Job {
		j := slurm.Job{ID: id, Submit: noon}
		if change != nil {
			change(&j)
		}
		return j
	}
	task := func(id, index int64) slurm.Job {
		return record(id, func(j *slurm.Job) { j.ArrayJobID, j.IsArrayTask, j.ArrayTaskID = 47, true, index })
	}
	whole := bridge.JobTarget{Job: 47, Submit: at}
	one := bridge.JobTarget{Job: 47, IsTask: true, Task: 3, Submit: at}
	for _, c := range []struct {
		name   string
		target bridge.JobTarget
		job    slurm.Job
		want   bool
	}{
		{"the record", whole, record(47, nil), true},
		{"another", whole, record(48, nil), false},
		{"a task", whole, task(60, 3), true},
		{"the unsplit rest", whole, record(47, func(j *slurm.Job) { j.ArrayJobID = 47 }), true},
		{"the task alone", one, task(60, 3), true},
		{"its neighbour", one, task(61, 4), false},
		{"its array's id, which another task has", one, task(47, 9), false},
		{"requeued", whole, record(47, func(j *slurm.Job) { j.Submit, j.Restarts = noon.Add(time.Hour), 1 }), true},
		{"the id used again", whole, record(47, func(j *slurm.Job) { j.Submit = noon.Add(time.Hour) }), false},
	} {
		if got := c.target.Has(&c.job); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// TestTheLongestActionCounts: of several that leave a job alone.
func TestTheLongestActionCounts(t *testing.T) {
	j := waiting()
	target := bridge.JobTarget{Job: j.ID, Submit: j.CurrentRun().Submit, Restarts: j.Restarts}
	list := []bridge.OperatorAction{
		{ID: 1, Kind: bridge.OperatorRelease, Jobs: target, Until: noon.Add(time.Hour)}, {ID: 2, Kind: bridge.OperatorUndo, Jobs: target, Until: noon.Add(3 * time.Hour)},
		{ID: 3, Kind: bridge.OperatorRelease, Jobs: target, Until: noon.Add(2 * time.Hour)}, {ID: 4, Kind: bridge.OperatorResume, Jobs: target},
	}
	v := &slurm.View{At: noon, Jobs: []slurm.Job{j}}
	if got := LeftAloneByJob(list, v); len(got) != 1 || got[j.ID].ID != 2 {
		t.Errorf("%v", got)
	}
	list[0].Until = time.Time{}
	if got := LeftAloneByJob(list, v); got[j.ID].ID != 1 {
		t.Errorf("one without an end: %v", got)
	}
}

// TestWhyNotUndone: what can be given back can, and what cannot says whose it is or what became of it.
func TestWhyNotUndone(t *testing.T) {
	ours := lease(bridge.IntentObserved)
	ours.ID = 5
	for want, change := range map[string]func(in *bridge.Intent, j *slurm.Job, more *[]bridge.Intent){
		"":                                       func(*bridge.Intent, *slurm.Job, *[]bridge.Intent) {},
		"somebody else's now: begin time is now": func(_ *bridge.Intent, j *slurm.Job, _ *[]bridge.Intent) { j.EligibleTime = noon.Add(9 * time.Hour) },
		"held by somebody":                       func(_ *bridge.Intent, j *slurm.Job, _ *[]bridge.Intent) { j.IsHeld = true },
		"cannot be written now":                  func(_ *bridge.Intent, j *slurm.Job, _ *[]bridge.Intent) { j.State = "RUNNING" },
		"not in the queue":                       func(_ *bridge.Intent, j *slurm.Job, _ *[]bridge.Intent) { j.State = "COMPLETED" },
		"ended by itself":                        func(in *bridge.Intent, _ *slurm.Job, _ *[]bridge.Intent) { in.State = bridge.IntentExpired },
		"we stepped aside":                       func(in *bridge.Intent, _ *slurm.Job, _ *[]bridge.Intent) { in.State = bridge.IntentYielded },
		"never came into effect":                 func(in *bridge.Intent, _ *slurm.Job, _ *[]bridge.Intent) { in.State = bridge.IntentFailed },
		"not known yet":                          func(in *bridge.Intent, _ *slurm.Job, _ *[]bridge.Intent) { in.State = bridge.IntentAcked },
		"to the run of its job":                  func(in *bridge.Intent, _ *slurm.Job, _ *[]bridge.Intent) { in.Edit.Kind = slurm.EditRequeue },
		"nothing of it stands":                   func(in *bridge.Intent, _ *slurm.Job, _ *[]bridge.Intent) { in.NotAfter = noon.Add(-time.Minute) },
		"change 9 of ours came after it": func(in *bridge.Intent, _ *slurm.Job, more *[]bridge.Intent) {
			later := *in
			later.ID = 9
			*more = append(*more, later)
		},
		"is under way": func(in *bridge.Intent, _ *slurm.Job, more *[]bridge.Intent) {
			later := *in
			later.ID, later.State = 9, bridge.IntentSent
			*more = append(*more, later)
		},
		"ended long ago": func(in *bridge.Intent, _ *slurm.Job, _ *[]bridge.Intent) { in.ID = 4 },
	} {
		in, j, more := ours, waiting(), []bridge.Intent(nil)
		j.EligibleTime = ours.Edit.Until
		change(&in, &j, &more)
		got := WhyNotUndone(5, append([]bridge.Intent{in}, more...), &slurm.View{At: noon, Jobs: []slurm.Job{j}})
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
