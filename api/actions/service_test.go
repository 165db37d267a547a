package actions_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fairbridge/accounting/operations"
	"fairbridge/api"
	"fairbridge/api/actions"
	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

var (
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	oper = api.Viewer{User: "oper", Role: api.RoleOperator, Origin: "munge"}
)

// site is a service over a record in memory.
type site struct {
	*actions.Service
	t       *testing.T
	mutex   sync.Mutex // of rows
	now     time.Time
	rows    []operations.RecordedAction
	guard   []bridge.Demotion
	jobs    []slurm.Job
	intents []bridge.Intent
	err     error // what the record answers instead
	slurm   error // what Slurm answers instead
	stop    push.StopSwitch
	file    string
	// together has the first so many that look at what stands wait for each other.
	together sync.WaitGroup
	looked   atomic.Int32
}

func newSite(t *testing.T) *site {
	s := &site{t: t, now: noon, file: filepath.Join(t.TempDir(), "STOP")}
	c := bridge.DefaultConfig()
	c.ClusterName, c.StopFile = "lab", s.file
	c.Partitions = []bridge.Partition{{Name: "gpu", Mode: bridge.ModePreempt}, {Name: "looked-at", Mode: bridge.ModeObserve}}
	s.Service = actions.New(actions.Parts{Config: c, Record: s, Demotions: s, Ledger: s, Cluster: s, Now: func() time.Time { return s.now }, Stop: &s.stop})
	return s
}

func (s *site) AddAction(_ context.Context, _ string, a *operations.RecordedAction, isOver bool, ends []int64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err != nil {
		return s.err
	}
	for _, id := range ends {
		r := &s.rows[id-1]
		if !r.Stands {
			return operations.ErrEnded
		}
		r.Stands, r.Ended, r.EndedBy = false, s.now, a.By
	}
	a.ID, a.At, a.Stands = int64(len(s.rows)+1), s.now, !isOver
	s.rows = append(s.rows, *a)
	return nil
}

func (s *site) StandingActions(context.Context, string) (out []bridge.OperatorAction, err error) {
	s.mutex.Lock()
	defer func() {
		s.mutex.Unlock()
		if s.looked.Add(-1) >= 0 {
			s.together.Done()
			s.together.Wait()
		}
	}()
	for _, r := range s.rows {
		if r.Stands && r.Kind != bridge.OperatorMode {
			out = append(out, r.OperatorAction)
		}
	}
	return out, s.err
}

func (s *site) ListActions(_ context.Context, _ string, before int64, limit int) (out []operations.RecordedAction, err error) {
	for _, r := range slices.Backward(s.rows) {
		if (before == 0 || r.ID < before) && len(out) < limit {
			out = append(out, r)
		}
	}
	return out, s.err
}

func (s *site) ActiveDemotions(context.Context, string) ([]bridge.Demotion, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	out := slices.Clone(s.guard)
	for _, r := range s.rows {
		if r.Stands && r.Kind == bridge.OperatorMode {
			out = append(out, bridge.Demotion{Partition: r.Partition, Mode: r.Mode, Action: r.ID, By: r.By})
		}
	}
	return out, s.err
}

func (s *site) Intents(context.Context, string, time.Time, time.Time) ([]bridge.Intent, error) {
	return slices.Clone(s.intents), nil
}

func (s *site) Observe(context.Context) (*slurm.View, error) {
	return &slurm.View{At: s.now, Cluster: "lab", Jobs: slices.Clone(s.jobs)}, s.slurm
}

func (s *site) ask(r api.ActionRequest) (*api.Action, error) {
	if r.Why == "" {
		r.Why = "ticket 4711"
	}
	return s.Act(s.t.Context(), oper, r)
}

// tell asks what a request would do, and wants these texts in it.
func (s *site) tell(r api.ActionRequest, want ...string) *api.Action {
	s.t.Helper()
	a, err := s.ask(r)
	if err != nil {
		s.t.Fatalf("%s: %v", r.Kind, err)
	}
	for _, w := range want {
		if !strings.Contains(a.Effect, w) {
			s.t.Errorf("%s: %q is not in %q", r.Kind, w, a.Effect)
		}
	}
	if a.ID != 0 || a.Confirm == "" || a.Stands {
		s.t.Errorf("%s: not done yet, but %+v", r.Kind, a)
	}
	return a
}

// do does what was told.
func (s *site) do(told *api.Action) *api.Action {
	s.t.Helper()
	a, err := s.Act(s.t.Context(), oper, told.ActionRequest)
	if err != nil {
		s.t.Fatalf("%s: %v", told.Kind, err)
	}
	if a.ID == 0 || a.Confirm != "" || a.By != "oper" || a.Effect != told.Effect {
		s.t.Errorf("%s: %+v", told.Kind, a)
	}
	return a
}

// refuse wants an error of a code with a text.
func (s *site) refuse(r api.ActionRequest, code api.Code, want string) {
	s.t.Helper()
	rows := len(s.rows)
	if a, err := s.ask(r); api.CodeOf(err) != code || err == nil || !strings.Contains(err.Error(), want) || len(s.rows) != rows {
		s.t.Errorf("%+v: %+v, %v, want %s with %q", r, a, err, code, want)
	}
}

var (
	stop   = api.ActionRequest{Kind: api.ActionStop}
	resume = api.ActionRequest{Kind: api.ActionResume}
)

func mode(m bridge.Mode) api.ActionRequest {
	return api.ActionRequest{Kind: api.ActionMode, Partition: "gpu", Mode: m}
}

// waiting is a job with an order number and a lease of ours.
func (s *site) waiting(id int64) {
	until := s.now.Add(5 * time.Minute)
	j := slurm.Job{ID: id, State: "PENDING", Submit: noon.Add(-time.Hour), EligibleTime: until, Priority: 5700, Partitions: []string{"gpu"}, User: "ann"}
	s.jobs = append(s.jobs, j)
	before := bridge.JobBefore{Priority: 5000, Eligible: noon.Add(-time.Hour)}
	for _, e := range []slurm.Edit{{Kind: slurm.EditSiteFactor, Value: 700}, {Kind: slurm.EditLease, Until: until}} {
		e.Run = j.CurrentRun()
		in := bridge.Intent{ID: int64(len(s.intents) + 1), Cluster: "lab", Edit: e, Before: before, State: bridge.IntentObserved, Made: s.now, Sent: s.now}
		if e.Kind == slurm.EditLease {
			in.NotAfter = until
		}
		s.intents = append(s.intents, in)
	}
}

// TestStopAndResume: told first, done once, recorded with the author, and the process stops at once.
func TestStopAndResume(t *testing.T) {
	s := newSite(t)
	s.refuse(resume, api.CodeConflict, "no operator stopped cluster lab")
	told := s.tell(stop, "No daemon sends anything to Slurm any more on cluster lab", "until somebody resumes")
	if len(s.rows) > 0 || s.stop.Check() != nil {
		t.Error("done before it was confirmed")
	}
	if a := s.do(told); !a.Stands || s.stop.Check() == nil || s.rows[0].By != "oper" || s.rows[0].Origin != "munge" || s.rows[0].Why != "ticket 4711" || s.rows[0].Effect != told.Effect {
		t.Errorf("%+v; recorded %+v", a, s.rows)
	}
	s.refuse(told.ActionRequest, api.CodeConflict, "stopped by oper") // again
	s.refuse(stop, api.CodeConflict, "stopped by oper since")
	if err := os.WriteFile(s.file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if a := s.do(s.tell(resume, "The stop ends (by oper since", "STOP file "+s.file+" exists")); a.Stands || !s.rows[1].Ended.IsZero() && s.rows[1].Stands || s.rows[0].Stands || s.rows[0].EndedBy != "oper" {
		t.Errorf("%+v; recorded %+v", a, s.rows)
	}
	s.refuse(resume, api.CodeConflict, "exists on this host, and stops writing until it is removed")
}

// TestAConfirmationHoldsOnce: for what was told, to whom it was told, for five minutes.
func TestAConfirmationHoldsOnce(t *testing.T) {
	s := newSite(t)
	told := s.tell(mode(bridge.ModeRank))
	other := told.ActionRequest
	other.Mode = bridge.ModeSteer
	s.refuse(other, api.CodeConflict, "confirms something else")
	other = told.ActionRequest
	other.Why = "another reason"
	s.refuse(other, api.CodeConflict, "confirms something else")
	for _, forged := range []string{"x", "AAAA", strings.Repeat("A", 96), told.Confirm[:len(told.Confirm)-2] + "AA", told.Confirm + "AA"} {
		other = told.ActionRequest
		other.Confirm = forged
		s.refuse(other, api.CodeConflict, "confirms something else")
	}
	if _, err := s.Act(t.Context(), api.Viewer{User: "bob", Role: api.RoleOperator, Origin: "munge"}, told.ActionRequest); api.CodeOf(err) != api.CodeConflict {
		t.Errorf("confirmed by another: %v", err)
	}
	if _, err := newSite(t).Act(t.Context(), oper, told.ActionRequest); api.CodeOf(err) != api.CodeConflict {
		t.Errorf("confirmed to another daemon: %v", err)
	}
	s.now = noon.Add(6 * time.Minute)
	s.refuse(told.ActionRequest, api.CodeConflict, "more than 5m0s ago")
	told = s.tell(mode(bridge.ModeRank))
	s.do(told)
	s.refuse(told.ActionRequest, api.CodeConflict, "confirmed already")
	other = told.ActionRequest
	other.Confirm = told.Confirm[:5] + "\r\n" + told.Confirm[5:] // base64 passes over them
	s.refuse(other, api.CodeConflict, "confirmed already")
	if told = s.tell(mode(bridge.ModeSteer), "from mode rank to mode steer (configured: preempt)"); len(s.rows) != 1 {
		t.Error(s.rows)
	}
	s.do(s.tell(mode(bridge.ModeObserve)))
	s.refuse(told.ActionRequest, api.CodeConflict, "it would do something else by now: Partition gpu goes from mode observe to mode steer")
}

// TestOneOfManyConfirms: the same confirmation sent at the same time is done once.
func TestOneOfManyConfirms(t *testing.T) {
	s := newSite(t)
	told := s.tell(mode(bridge.ModeRank))
	var done atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := s.Act(t.Context(), oper, told.ActionRequest); err == nil {
				done.Add(1)
			}
		})
	}
	all.Wait()
	if done.Load() != 1 || len(s.rows) != 1 {
		t.Errorf("done %d times, recorded %d times", done.Load(), len(s.rows))
	}
}

// TestManyConfirmationsOfOneStop: ten confirmations of a stop, each good, are confirmed at once: one stop stands, and
// the others are told of it.
func TestManyConfirmationsOfOneStop(t *testing.T) {
	s := newSite(t)
	told := make([]*api.Action, 10)
	for i := range told {
		told[i] = s.tell(api.ActionRequest{Kind: api.ActionStop, Why: fmt.Sprint("reason ", i)})
	}
	s.looked.Store(int32(len(told)))
	s.together.Add(len(told)) // all look what they would do before one does it
	var done, refused atomic.Int32
	var all sync.WaitGroup
	for i := range told {
		all.Go(func() {
			switch _, err := s.Act(t.Context(), oper, told[i].ActionRequest); {
			case err == nil:
				done.Add(1)
			case api.CodeOf(err) == api.CodeConflict:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if done.Load() != 1 || refused.Load() != 9 || len(s.rows) != 1 {
		t.Errorf("%d done, %d refused, %d recorded", done.Load(), refused.Load(), len(s.rows))
	}
}

// TestModes: never above the configuration; the configured one ends the lowering; the guard's demotion is told.
func TestModes(t *testing.T) {
	s := newSite(t)
	s.waiting(7)
	s.do(s.tell(mode(bridge.ModeRank), "from mode preempt to mode rank (configured: preempt), until somebody asks for the configured mode", "1 value of ours"))
	s.guard = []bridge.Demotion{{Partition: "gpu", By: "the harm guard", Why: "Jobs waited."}}
	s.slurm = errors.New("away")
	s.do(s.tell(mode(bridge.ModeObserve), "from mode rank to mode observe", "could not be told now", "the harm guard"))
	if !s.rows[1].Stands || s.rows[0].Stands {
		t.Errorf("one takes the place of the other: %+v", s.rows)
	}
	a := s.do(s.tell(mode(bridge.ModePreempt), "from mode observe back to mode preempt"))
	if a.Stands || s.rows[1].Stands {
		t.Errorf("%+v", s.rows)
	}
	s.refuse(mode(bridge.ModePreempt), api.CodeConflict, "guard clear")
	for want, r := range map[string]api.ActionRequest{
		"off is for the configuration": mode(bridge.ModeOff),
		"not one of observe, rank":     mode("loud"),
	} {
		s.refuse(r, api.CodeBadRequest, want)
	}
	s.refuse(api.ActionRequest{Kind: api.ActionMode, Partition: "cpu", Mode: bridge.ModeRank}, api.CodeNotFound, "these are: gpu, looked-at")
	s.refuse(api.ActionRequest{Kind: api.ActionMode, Partition: "looked-at", Mode: bridge.ModeRank}, api.CodeConflict, "nothing to lower")
}
