package actions_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestReleasingAJob: says what stands in it, is refused when that changed, and has the time a yielded job is left
// alone; resume with the job ends it.
func TestReleasingAJob(t *testing.T) {
	s := newSite(t)
	s.waiting(7)
	release := api.ActionRequest{Kind: api.ActionReleaseJob, Job: "7"}
	told := s.tell(release, "2 values of ours in job 7 (begin_time, site_factor) are given back", "job 7 is left alone for 1d")
	s.intents = s.intents[:1]
	s.refuse(told.ActionRequest, api.CodeConflict, "it would do something else by now")
	a := s.do(s.tell(release, "1 value of ours in job 7 (site_factor) is"))
	if want := noon.Add(24 * time.Hour); !a.Until.Equal(want) || !s.rows[0].Until.Equal(want) || s.rows[0].Jobs.Job != 7 || s.rows[0].Jobs.Submit != noon.Add(-time.Hour).Unix() {
		t.Errorf("%+v; %+v", a, s.rows)
	}
	release.Until = noon.Add(time.Hour)
	if a := s.do(s.tell(release, "until 2026-03-02 13:00 UTC")); !a.Until.Equal(release.Until) || s.rows[0].Stands {
		t.Errorf("%+v; %+v", a, s.rows)
	}
	caring := api.ActionRequest{Kind: api.ActionResume, Job: "7"}
	s.do(s.tell(caring, "Job 7 is not left alone any more"))
	s.refuse(caring, api.CodeNotFound, "no operator left job 7 alone")
	s.refuse(api.ActionRequest{Kind: api.ActionReleaseJob, Job: "8"}, api.CodeNotFound, "job 8 is not in the queue")
	s.slurm = errors.New("no answer")
	s.refuse(release, api.CodeUnavailable, "no answer")
}

// TestArrays: the address of an array means all its records, that of a task which waits with others as well.
func TestArrays(t *testing.T) {
	s := newSite(t)
	s.jobs = []slurm.Job{
		{ID: 47, ArrayJobID: 47, State: "PENDING", ArrayTasks: slurm.ReadArrayTasks("5-9"), Submit: noon},
		{ID: 60, ArrayJobID: 47, State: "RUNNING", IsArrayTask: true, ArrayTaskID: 3, Submit: noon.Add(time.Minute), Restarts: 1},
	}
	for job, want := range map[string]bridge.JobTarget{
		"47":       {Address: "47", Job: 47, Submit: noon.Add(time.Minute).Unix()},
		"47_[5-9]": {Address: "47", Job: 47, Submit: noon.Add(time.Minute).Unix()},
		"47_7":     {Address: "47", Job: 47, Submit: noon.Add(time.Minute).Unix()},
		"47_3":     {Address: "47_3", Job: 47, IsTask: true, Task: 3, Submit: noon.Add(time.Minute).Unix(), Restarts: 1},
		"60":       {Address: "60", Job: 60, Submit: noon.Add(time.Minute).Unix(), Restarts: 1},
	} {
		s.do(s.tell(api.ActionRequest{Kind: api.ActionReleaseJob, Job: job}, "Nothing of ours stands"))
		if got := s.rows[len(s.rows)-1].Jobs; got != want {
			t.Errorf("%s: %+v, want %+v", job, got, want)
		}
	}
	s.refuse(api.ActionRequest{Kind: api.ActionReleaseJob, Job: "47_12"}, api.CodeNotFound, "not in the queue")
	for _, job := range []string{"x", "-4", "+4", "47_", "47_x", "47_-1", "47_+1", "_3", "47_3_3", "0", "99999999999999999999"} {
		s.refuse(api.ActionRequest{Kind: api.ActionReleaseJob, Job: job}, api.CodeBadRequest, "job:")
	}
}

// TestUndo: what stands is given back, what does not is refused with the reason.
func TestUndo(t *testing.T) {
	s := newSite(t)
	s.waiting(7)
	undo := api.ActionRequest{Kind: api.ActionUndo, Change: 2}
	told := s.tell(undo, "Change 2 (lease job 7 until", "job 7 is left alone for 1d")
	s.jobs[0].EligibleTime = noon.Add(9 * time.Hour)
	s.refuse(told.ActionRequest, api.CodeConflict, "we stepped aside")
	s.jobs[0].EligibleTime = s.intents[1].Edit.Until
	s.intents[1].State, s.intents[1].Error, s.intents[1].Closed = bridge.IntentObserved, "", time.Time{}
	if a := s.do(s.tell(undo)); a.Change != 2 || s.rows[0].Change != 2 || s.rows[0].Jobs.Job != 7 {
		t.Errorf("%+v; %+v", a, s.rows)
	}
	s.refuse(api.ActionRequest{Kind: api.ActionUndo, Change: 99}, api.CodeNotFound, "change 99")
	s.intents[1].Edit = slurm.Edit{Run: s.intents[1].Edit.Run, Kind: slurm.EditRequeue}
	s.refuse(undo, api.CodeConflict, "cannot be undone: what it did to the run of its job")
}

// TestBadRequests: each field is checked, and means nothing where it is none of the action's.
func TestBadRequests(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		want string
		r    api.ActionRequest
	}{
		{"kind:", api.ActionRequest{Kind: "reboot"}},
		{"partition means nothing with stop", api.ActionRequest{Kind: api.ActionStop, Partition: "gpu"}},
		{"mode means nothing with stop", api.ActionRequest{Kind: api.ActionStop, Mode: bridge.ModeRank}},
		{"job means nothing with mode", api.ActionRequest{Kind: api.ActionMode, Partition: "gpu", Mode: bridge.ModeRank, Job: "7"}},
		{"change means nothing with release_job", api.ActionRequest{Kind: api.ActionReleaseJob, Job: "7", Change: 7}},
		{"until means nothing with resume", api.ActionRequest{Kind: api.ActionResume, Until: noon.Add(time.Hour)}},
		{"mode is missing", api.ActionRequest{Kind: api.ActionMode, Partition: "gpu"}},
		{"partition is missing", api.ActionRequest{Kind: api.ActionMode, Mode: bridge.ModeRank}},
		{"job is missing", api.ActionRequest{Kind: api.ActionReleaseJob}},
		{"change is missing", api.ActionRequest{Kind: api.ActionUndo}},
		{"change: -1", api.ActionRequest{Kind: api.ActionUndo, Change: -1}},
		{"until: 2026-03-02 11:59 UTC has passed", api.ActionRequest{Kind: api.ActionStop, Until: noon.Add(-time.Second)}},
		{"more than a year", api.ActionRequest{Kind: api.ActionStop, Until: noon.AddDate(2, 0, 0)}},
		{"why is missing", api.ActionRequest{Kind: api.ActionStop, Why: " \n "}},
		{"why has 501 characters", api.ActionRequest{Kind: api.ActionStop, Why: strings.Repeat("ä", 501)}},
		{"printable", api.ActionRequest{Kind: api.ActionStop, Why: "a\x1b[2Jb"}},
		{"printable", api.ActionRequest{Kind: api.ActionStop, Why: "a\xff"}},
		{"printable", api.ActionRequest{Kind: api.ActionMode, Mode: bridge.ModeRank, Partition: "gpu\x00"}},
		{"that long", api.ActionRequest{Kind: api.ActionReleaseJob, Job: strings.Repeat("4", 300)}},
	} {
		s.refuse(c.r, api.CodeBadRequest, c.want)
	}
}

// TestOperatorsOnly: who is none sees and does nothing.
func TestOperatorsOnly(t *testing.T) {
	s := newSite(t)
	for _, v := range []api.Viewer{{}, {User: "ann", Role: api.RoleUser}, {User: "ann", Role: api.RoleCoordinator, RoleUnknown: "slurmdbd is away"}, {Role: api.RoleOperator}} {
		if _, err := s.Act(t.Context(), v, api.ActionRequest{Kind: api.ActionStop, Why: "so"}); api.CodeOf(err) != api.CodeForbidden {
			t.Errorf("%+v acts: %v", v, err)
		}
		if _, err := s.List(t.Context(), v, 0, ""); api.CodeOf(err) != api.CodeForbidden {
			t.Errorf("%+v sees: %v", v, err)
		}
	}
}

// TestListing: page by page, the newest first.
func TestListing(t *testing.T) {
	s := newSite(t)
	s.do(s.tell(stop))
	s.do(s.tell(resume))
	s.do(s.tell(mode(bridge.ModeRank)))
	first, err := s.List(t.Context(), oper, 2, "")
	if err != nil || len(first.Actions) != 2 || first.Next != "2" || first.Actions[0].Mode != bridge.ModeRank || !first.Actions[0].Stands || first.Actions[0].By != "oper" || first.Actions[0].Confirm != "" {
		t.Fatalf("%+v, %v", first, err)
	}
	rest, err := s.List(t.Context(), oper, 2, first.Next)
	if err != nil || len(rest.Actions) != 1 || rest.Next != "" || rest.Actions[0].EndedBy != "oper" || rest.Actions[0].Stands {
		t.Errorf("%+v, %v", rest, err)
	}
	for _, after := range []string{"x", "-1", "0"} {
		if _, err := s.List(t.Context(), oper, 2, after); api.CodeOf(err) != api.CodeBadRequest {
			t.Errorf("after %s: %v", after, err)
		}
	}
	s.err = accounting.ErrUnreachable
	if _, err := s.List(t.Context(), oper, 0, ""); api.CodeOf(err) != api.CodeUnavailable {
		t.Error(err)
	}
	s.refuse(stop, api.CodeUnavailable, "STOP file")
}

// TestResumeNamesTheAddressThatIsLeftAlone: a task that waits in one record with others is left alone with its
// array; who resumes by the address that release took is told by which it ends.
func TestResumeNamesTheAddressThatIsLeftAlone(t *testing.T) {
	s := newSite(t)
	s.jobs = append(s.jobs, slurm.Job{
		ID: 7, State: "PENDING", Submit: noon.Add(-time.Hour), Priority: 5000, Partitions: []string{"gpu"}, User: "ann", ArrayJobID: 7, ArrayTasks: slurm.ReadArrayTasks("0-3"),
	})
	task := api.ActionRequest{Kind: api.ActionReleaseJob, Job: "7_2"}
	s.do(s.tell(task, "job 7 is left alone"))
	s.refuse(api.ActionRequest{Kind: api.ActionResume, Job: "7_2"}, api.CodeNotFound, "no operator left job 7_2 alone by this address: left alone is 7: resume 7")
	s.refuse(api.ActionRequest{Kind: api.ActionResume, Job: "8_2"}, api.CodeNotFound, "no operator left job 8_2 alone: the list")
	s.do(s.tell(api.ActionRequest{Kind: api.ActionResume, Job: "7"}, "Job 7 is not left alone any more"))
}
