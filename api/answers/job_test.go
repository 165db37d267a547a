package answers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/api"
)

func TestJobTellsWhoIsAhead(t *testing.T) {
	s := newSite(t, "fifo")
	ann, bob := s.busy()
	j, err := s.service.Job(t.Context(), annie, fmt.Sprint(ann))
	must(t, err)
	if j.AheadCount != 1 || len(j.Ahead) != 1 || j.Ahead[0].Address != fmt.Sprint(bob) || j.Ahead[0].User != "bobby" || j.Live == nil || j.Live.State != "PENDING" || j.LastCycleAt.IsZero() {
		t.Errorf("%+v, live %+v", j, j.Live)
	}
	s.private = api.AllPrivate("test")
	j, err = s.service.Job(t.Context(), annie, fmt.Sprint(ann))
	must(t, err)
	if j.AheadCount != 1 || len(j.Ahead) != 0 || j.HiddenAhead != 1 {
		t.Errorf("%+v", j)
	}
	lacks(t, "ann's job", jsonOf(t, j), "bobby", "bobaccount", "secrethost")
}

// One cannot tell a private job from one that does not exist.
func TestAPrivateJobIsAsNone(t *testing.T) {
	s := newSite(t, "fifo")
	_, bob := s.busy()
	s.private = api.AllPrivate("test")
	text := func(err error, id int64) string { return strings.ReplaceAll(err.Error(), fmt.Sprint(id), "ID") }
	_, none := s.service.Job(t.Context(), annie, "99999")
	_, private := s.service.Job(t.Context(), annie, fmt.Sprint(bob))
	codeIs(t, "private", private, api.CodeNotFound)
	if none == nil || text(none, 99999) != text(private, bob) {
		t.Errorf("%v\n%v", none, private)
	}
	_, none = s.service.JobUse(t.Context(), annie, "99999")
	_, private = s.service.JobUse(t.Context(), annie, fmt.Sprint(bob))
	if none == nil || text(none, 99999) != text(private, bob) {
		t.Errorf("%v\n%v", none, private)
	}
	if _, err := s.service.Job(t.Context(), bobby, fmt.Sprint(bob)); err != nil {
		t.Error(err)
	}
	s.private = api.Privacy{Usage: true} // the job is no secret, its use is
	_, err := s.service.JobUse(t.Context(), annie, fmt.Sprint(bob))
	codeIs(t, "use", err, api.CodeForbidden)
}

func TestJobAddresses(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	array := s.submit("annie", "annaccount", 1, 5)
	s.step()
	for _, a := range []string{fmt.Sprint(array), fmt.Sprintf("%d_3", array), fmt.Sprintf("%d_[0-4]", array)} {
		j, err := s.service.Job(t.Context(), annie, a)
		must(t, err)
		if int64(j.JobID) != array || j.Tasks != 5 {
			t.Errorf("%s is %d with %d tasks", a, j.JobID, j.Tasks)
		}
	}
	_, err := s.service.Job(t.Context(), annie, fmt.Sprintf("%d_9", array))
	codeIs(t, "no such task", err, api.CodeNotFound)
	for _, a := range []string{"", "x", "-1", "0", "1_", "1_x", "1_-2", "../1", "1+", "1;drop table", strings.Repeat("9", 400), "1_[" + strings.Repeat("0,", 400) + "]", "47_\x00"} {
		_, err := s.service.Job(t.Context(), annie, a)
		codeIs(t, a, err, api.CodeBadRequest)
	}
}

func TestJobWithoutSlurm(t *testing.T) {
	s := newSite(t, "fifo")
	ann, _ := s.busy()
	s.slurm.broken = errors.New("dial tcp secrethost:6820: refused")
	j, err := s.service.Job(t.Context(), annie, fmt.Sprint(ann))
	must(t, err)
	if j.LiveError != "Slurm could not be asked" || j.Live != nil {
		t.Errorf("%q, %+v", j.LiveError, j.Live)
	}
	if j, err = s.service.Job(t.Context(), operator, fmt.Sprint(ann)); err != nil || !strings.Contains(j.LiveError, "secrethost") {
		t.Errorf("%+v, %v", j, err)
	}
	if a, err := s.service.When(t.Context(), annie, api.WhenQuery{GPUs: 1, Limit: time.Hour}); err != nil || a.LimitError != "Slurm could not be asked" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestWhen(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	a, err := s.service.When(t.Context(), annie, api.WhenQuery{GPUs: 8, Limit: 4 * time.Hour})
	must(t, err)
	if a.Job.User != "annie" || a.Job.Account != "annaccount" || !a.Start.Middle.After(s.now()) || a.Partition != "gpu" || a.LimitError != "" {
		t.Errorf("%+v", a)
	}
	for what, q := range map[string]api.WhenQuery{
		"none": {Limit: time.Hour}, "too short": {GPUs: 1, Limit: time.Second}, "too many": {GPUs: 17, Limit: time.Hour}, "type": {GPUs: 1, Limit: time.Hour, GPUType: "h100"},
		"partition": {GPUs: 1, Limit: time.Hour, Partition: "cpu"}, "nodes": {GPUs: 1, Nodes: -1, Limit: time.Hour}, "long": {GPUs: 1, Limit: time.Hour, User: strings.Repeat("x", 300)},
	} {
		_, err := s.service.When(t.Context(), annie, q)
		codeIs(t, what, err, api.CodeBadRequest)
	}
	bobs := api.WhenQuery{GPUs: 1, Limit: time.Hour, User: "bobby"}
	if _, err := s.service.When(t.Context(), annie, bobs); err != nil {
		t.Error(err)
	}
	for account, want := range map[string]string{"nosuch": "account nosuch is not known here", "annaccount": "", "": ""} {
		a, err := s.service.When(t.Context(), annie, api.WhenQuery{GPUs: 1, Limit: time.Hour, Account: account})
		if err != nil || !strings.HasPrefix(a.Unknown, want) || want == "" && a.Unknown != "" {
			t.Errorf("account %q: %+v, %v", account, a, err)
		}
	}
	s.private.Usage = true
	_, err = s.service.When(t.Context(), annie, bobs)
	codeIs(t, "for bob", err, api.CodeForbidden)
	_, err = s.service.When(t.Context(), annie, api.WhenQuery{GPUs: 1, Limit: time.Hour, Account: "bobaccount"})
	codeIs(t, "in bob's account", err, api.CodeForbidden)
	if _, err = s.service.When(t.Context(), annie, api.WhenQuery{GPUs: 1, Limit: time.Hour, Account: "annaccount"}); err != nil {
		t.Error(err)
	}
	s.ahead = time.Hour
	local := annie
	local.Origin = "local"
	for _, v := range []api.Viewer{annie, local} {
		_, err = s.service.When(t.Context(), v, api.WhenQuery{GPUs: 1, Limit: time.Hour})
		if codeIs(t, "long ago", err, api.CodeUnavailable); strings.Contains(err.Error(), "systemctl") != (v.Origin == "local") {
			t.Errorf("%s: %v", v.Origin, err)
		}
	}
}

// While the database is away nothing is said of how good estimates were; once it is back it is asked.
func TestWhenDoesNotKeepAScoreThatCouldNotBeRead(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	_, err := s.service.When(t.Context(), annie, api.WhenQuery{GPUs: 8, Limit: time.Hour}) // learns
	must(t, err)
	here := s.db.DB.Pool
	s.loseDatabase()
	q := api.WhenQuery{GPUs: 4, Limit: time.Hour}
	if a, err := s.service.When(t.Context(), annie, q); err != nil || a.Score != nil || a.ScoreError == "" {
		t.Errorf("away: %+v, %v", a, err)
	}
	s.db.DB.Pool = here
	if a, err := s.service.When(t.Context(), annie, q); err != nil || a.ScoreError != "" {
		t.Errorf("back: %+v, %v", a, err)
	}
}
