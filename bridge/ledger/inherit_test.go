package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// arrayOf is a view of array 7, with a task that was split off it as job 9.
func arrayOf(change func(*slurm.Job)) *slurm.View {
	a := waiting()
	a.ArrayJobID, a.ArrayTasks = 7, slurm.ReadArrayTasks("1-3")
	t := waiting()
	t.ID, t.ArrayJobID, t.IsArrayTask, t.User = 9, 7, true, "ann"
	change(&t)
	return &slurm.View{At: noon.Add(time.Minute), Jobs: []slurm.Job{a, t}}
}

// numbers are intents of one kind for array 7, by age in minutes and value.
func numbers(kind slurm.EditKind, of ...[2]int64) []bridge.Intent {
	list := make([]bridge.Intent, len(of))
	for i, x := range of {
		list[i] = number(kind, x[1], bridge.IntentExpired)
		list[i].ID, list[i].Made = int64(i+1), noon.Add(-time.Duration(x[0])*time.Minute)
		list[i].Sent, list[i].Before.Nice = list[i].Made, 3
		if i > 0 {
			list[i].Before.OurValue, list[i].Before.Nice = of[i-1][1], 3+of[i-1][1]
		}
	}
	list[len(list)-1].State = bridge.IntentObserved
	return list
}

func TestATaskInheritsWhatIsOursInItsArray(t *testing.T) {
	running := func(ago time.Duration) func(*slurm.Job) {
		return func(j *slurm.Job) { j.State, j.Start = "RUNNING", noon.Add(-ago) }
	}
	nice := func(n int64) func(*slurm.Job) { return func(j *slurm.Job) { j.Nice = n } }
	requeued := func(j *slurm.Job) { j.Restarts, j.Submit = 1, noon }
	site := func(of ...[2]int64) []bridge.Intent { return numbers(slurm.EditSiteFactor, of...) }
	own := func(s bridge.IntentState, job func(*slurm.Job)) []bridge.Intent {
		in := number(slurm.EditSiteFactor, 9, s)
		in.ID, in.Edit.Run = 50, arrayOf(job).Jobs[1].CurrentRun()
		return append(site([2]int64{5, 700}), in)
	}
	failed := site([2]int64{5, 700})
	failed[0].State = bridge.IntentFailed
	reused := site([2]int64{5, 700})
	reused[0].Edit.Run.Submit--
	again := numbers(slurm.EditNice, [2]int64{200, 30}, [2]int64{90, 40}, [2]int64{1, 30})
	again[1].State, again[2].Sent = bridge.IntentExpired, time.Time{}
	held := lease(bridge.IntentObserved)
	shows := func(j *slurm.Job) { j.EligibleTime = held.Edit.Until }
	pin := intent(slurm.EditRequireNodes, bridge.IntentObserved)
	pin.Edit.Nodes = []string{"n1"}
	for _, tt := range []struct {
		name string
		rows []bridge.Intent
		job  func(*slurm.Job)
		want int64 // value; -1: nothing is inherited
	}{
		{"hidden, changed alone", site([2]int64{5, 700}), same, 700},
		{"hidden, runs", site([2]int64{5, 700}), running(time.Minute), 700},
		{"hidden, requeued", site([2]int64{5, 700}), requeued, 700},
		{"hidden, the latest of several", site([2]int64{50, 600}, [2]int64{5, 700}), same, 700},
		{"hidden, the latest before it started", site([2]int64{50, 600}, [2]int64{5, 700}), running(20 * time.Minute), 600},
		{"hidden, it started before there was one", site([2]int64{5, 700}), running(20 * time.Minute), -1},
		{"hidden, given back a moment ago", site([2]int64{50, 700}, [2]int64{1, 0}), same, 700},
		{"hidden, given back long ago", site([2]int64{500, 700}, [2]int64{90, 0}), same, -1},
		{"hidden, it started before that was given back", site([2]int64{500, 700}, [2]int64{90, 0}), running(95 * time.Minute), 700},
		{"hidden, it started long after that was given back", site([2]int64{500, 700}, [2]int64{90, 0}), running(5 * time.Minute), -1},
		{"refused", failed, same, -1},
		{"the array's id is another job's by now", reused, same, -1},
		{"ended", site([2]int64{5, 700}), func(j *slurm.Job) { j.State = "COMPLETED" }, -1},
		{"unreadable", site([2]int64{5, 700}), func(j *slurm.Job) { j.UntrustedReason = "no priority" }, -1},
		{"no task", site([2]int64{5, 700}), func(j *slurm.Job) { j.ArrayJobID, j.IsArrayTask = 0, false }, -1},
		{"a task of another array", site([2]int64{5, 700}), func(j *slurm.Job) { j.ArrayJobID = 6 }, -1},
		{"it has a number of its own", own(bridge.IntentObserved, same), same, -1},
		{"its own was given back", own(bridge.IntentExpired, same), same, -1},
		{"its own was never sent", own(bridge.IntentVoid, same), same, 700},
		{"its id was another job's", own(bridge.IntentObserved, func(j *slurm.Job) { j.Submit = noon.Add(-9 * time.Hour) }), same, 700},
		{"exactly ours", numbers(slurm.EditNice, [2]int64{5, 40}), nice(40), 40},
		{"exactly an earlier one of ours", numbers(slurm.EditNice, [2]int64{20, 30}, [2]int64{5, 40}), nice(30), 30},
		{"one of ours of long ago is not", numbers(slurm.EditNice, [2]int64{200, 30}, [2]int64{90, 40}), nice(30), -1},
		{"one of ours of long ago that stands again in the array", again, nice(30), 30},
		{"its owner's", numbers(slurm.EditNice, [2]int64{5, 40}), nice(41), -1},
		{"its owner's, who has it again", numbers(slurm.EditNice, [2]int64{20, 40}, [2]int64{5, 3}), nice(3), -1},
		{"a begin time", []bridge.Intent{held}, shows, 0},
		{"a begin time that a requeue wiped", []bridge.Intent{held}, requeued, -1},
		{"a node list", []bridge.Intent{pin}, func(j *slurm.Job) { j.RequiredNodes = slurm.ReadHosts("n1") }, 0},
		{"a node list of its owner", []bridge.Intent{pin}, func(j *slurm.Job) { j.RequiredNodes = slurm.ReadHosts("n2") }, -1},
	} {
		v := arrayOf(tt.job)
		got := InheritedIntents(tt.rows, v)
		switch {
		case tt.want < 0 && len(got) > 0, tt.want >= 0 && len(got) != 1:
			t.Errorf("%s: adopted %+v, want %d", tt.name, got, tt.want)
		case tt.want >= 0 && (got[0].Edit.Value != tt.want || got[0].Edit.Run != v.Jobs[1].CurrentRun() || got[0].State != bridge.IntentObserved || got[0].Before.User != "ann"):
			t.Errorf("%s: adopted %+v, want %d of job 9", tt.name, got[0], tt.want)
		}
		if again := InheritedIntents(append(tt.rows, got...), v); len(again) > 0 {
			t.Errorf("%s: adopted twice: %+v", tt.name, again)
		}
	}
}

// TestWhatATaskInheritedIsGivenBack: to what its owner had, also when the array's
// own was given back long ago.
func TestWhatATaskInheritedIsGivenBack(t *testing.T) {
	rows := numbers(slurm.EditNice, [2]int64{20, 30}, [2]int64{5, 40})
	v := arrayOf(func(j *slurm.Job) { j.Nice = 40 })
	v.Jobs[0].Nice = 3 // given back
	rows = append(rows, InheritedIntents(rows, v)...)
	rows[2].ID = 3
	got := UndoEdits(rows[2:], v, v.At)
	if len(got) != 1 || got[0].Run.Job != 9 || got[0].Kind != slurm.EditNice || got[0].Value != 3 {
		t.Errorf("got %v, want job 9 to have its owner's nice of 3", got)
	}
}
