package answers_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"fairbridge/api"
)

// What memory answers, handed over by the daemon, and what the database answers is the same.
// A slip in the name of a state or kind is told, where it would match nothing.
func TestSlipsInNamesAreTold(t *testing.T) {
	s := newSite(t, "fifo")
	_, err := s.service.Queue(t.Context(), annie, api.QueueQuery{States: []string{"XX"}})
	codeIs(t, "state of a job", err, api.CodeBadRequest)
	_, err = s.service.Changes(t.Context(), annie, api.ChangeQuery{States: []string{"DONE"}})
	codeIs(t, "state of a change", err, api.CodeBadRequest)
	_, err = s.service.Changes(t.Context(), annie, api.ChangeQuery{Kinds: []string{"nise"}})
	codeIs(t, "kind", err, api.CodeBadRequest)
	if _, err = s.service.Changes(t.Context(), annie, api.ChangeQuery{Kinds: []string{"Nice"}, States: []string{"failed"}}); err != nil {
		t.Error(err)
	}
}

func TestQueueFromMemoryIsThatOfTheDatabase(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	r := s.step()
	stored, err := s.service.Queue(t.Context(), operator, api.QueueQuery{})
	must(t, err)
	s.restart()
	s.service.NoteCycle(&r)
	noted, err := s.service.Queue(t.Context(), operator, api.QueueQuery{})
	must(t, err)
	if a, b := jsonOf(t, stored.Jobs), jsonOf(t, noted.Jobs); a != b || len(stored.Jobs) != 4 {
		t.Errorf("the database says\n%s\nmemory\n%s", a, b)
	}
	if a, b := jsonOf(t, stored.Partitions), jsonOf(t, noted.Partitions); a != b {
		t.Errorf("the database says\n%s\nmemory\n%s", a, b)
	}
}

func TestQueueShowsTheViewersOwn(t *testing.T) {
	s := newSite(t, "fifo")
	ann, _ := s.busy()
	all, err := s.service.Queue(t.Context(), annie, api.QueueQuery{})
	must(t, err)
	if all.Total != 4 || all.Hidden != 0 {
		t.Errorf("public: %d of them, %d hidden", all.Total, all.Hidden)
	}
	s.private = api.Privacy{Jobs: true, Usage: true, Nodes: true}
	mine, err := s.service.Queue(t.Context(), annie, api.QueueQuery{})
	must(t, err)
	if mine.Total != 1 || mine.Hidden != 3 || int64(mine.Jobs[0].JobID) != ann {
		t.Errorf("%+v", mine)
	}
	lacks(t, "ann's queue", jsonOf(t, mine), "bobby", "bobaccount", "secrethost")
	for name, q := range map[string]api.QueueQuery{"user": {Users: []string{"bobby"}}, "account": {Accounts: []string{"bobaccount"}}, "node": {Nodes: []string{"n1", "n2", "n001", "n01"}}, "job": {Jobs: []string{"1"}}} {
		none, err := s.service.Queue(t.Context(), annie, q)
		must(t, err)
		if none.Total != 0 || none.Hidden != 0 {
			t.Errorf("by %s: %d, %d hidden", name, none.Total, none.Hidden)
		}
	}
	coordinator := api.Viewer{User: "carl", Role: api.RoleCoordinator, Accounts: []string{"bobaccount"}}
	theirs, err := s.service.Queue(t.Context(), coordinator, api.QueueQuery{})
	must(t, err)
	if theirs.Total != 3 || theirs.Hidden != 1 {
		t.Errorf("a coordinator sees %d, %d hidden", theirs.Total, theirs.Hidden)
	}
}

func TestQueueIsFilteredAndPaged(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	array := s.submit("annie", "annaccount", 1, 5)
	s.step()
	s.ahead += time.Minute
	for what, c := range map[string]struct {
		q    api.QueueQuery
		want int
	}{
		"running": {api.QueueQuery{States: []string{"running"}}, 2}, "of ann": {api.QueueQuery{Users: []string{"annie"}}, 2},
		"both": {api.QueueQuery{Users: []string{"annie"}, States: []string{"RUNNING"}}, 0}, "the array": {api.QueueQuery{Jobs: []string{fmt.Sprint(array)}}, 1},
		"its task": {api.QueueQuery{Jobs: []string{fmt.Sprintf("%d_3", array)}}, 1}, "no task of it": {api.QueueQuery{Jobs: []string{fmt.Sprintf("%d_7", array)}}, 0},
	} {
		got, err := s.service.Queue(t.Context(), operator, c.q)
		must(t, err)
		if got.Total != c.want || len(got.Jobs) != c.want {
			t.Errorf("%s: %d, want %d", what, got.Total, c.want)
		}
	}
	var seen []int
	for q := (api.QueueQuery{Limit: 2}); ; {
		page, err := s.service.Queue(t.Context(), operator, q)
		must(t, err)
		for _, j := range page.Jobs {
			seen = append(seen, j.Rank)
		}
		if q.After = page.Next; page.Next == "" {
			break
		}
	}
	if fmt.Sprint(seen) != "[1 2 3 4 5]" {
		t.Errorf("pages have ranks %v", seen)
	}
	for what, q := range map[string]api.QueueQuery{"partition": {Partitions: []string{"cpu"}}, "limit": {Limit: -1}, "after": {After: "x"}, "too many jobs": {Jobs: make([]string, 201)}} {
		_, err := s.service.Queue(t.Context(), operator, q)
		codeIs(t, what, err, api.CodeBadRequest)
	}
}

func TestWithoutDatabaseAnswersAreFromMemory(t *testing.T) {
	s := newSite(t, "fifo")
	ann, _ := s.busy()
	if _, err := s.service.Queue(t.Context(), annie, api.QueueQuery{}); err != nil {
		t.Fatal(err)
	}
	s.loseDatabase()
	s.ahead = 10 * time.Minute
	q, err := s.service.Queue(t.Context(), annie, api.QueueQuery{})
	must(t, err)
	if q.Total != 4 || q.Daemon.RecordError == "" || !q.Partitions[0].Stale || q.Partitions[0].AsOf.IsZero() {
		t.Errorf("%+v", q)
	}
	j, err := s.service.Job(t.Context(), annie, fmt.Sprint(ann))
	must(t, err)
	if j.Daemon.RecordError == "" || !j.IsStale || len(j.Runs) != 1 || j.AheadCount != 1 {
		t.Errorf("%+v", j)
	}
	_, err = s.service.JobUse(t.Context(), annie, fmt.Sprint(ann))
	codeIs(t, "use", err, api.CodeUnavailable)
	_, err = s.service.Report(t.Context(), annie, "usage", api.ReportQuery{})
	codeIs(t, "report", err, api.CodeUnavailable)
	s.restart()
	_, err = s.service.Queue(t.Context(), annie, api.QueueQuery{})
	codeIs(t, "nothing in memory", err, api.CodeUnavailable)
}

// An address means a job, its array, or one of the waiting tasks that stand in one row, and nothing else.
func TestQueueFindsAddresses(t *testing.T) {
	s := newSite(t, "fifo")
	ann, bob := s.busy()
	array := s.submit("annie", "annaccount", 1, 5)
	s.step()
	s.ahead += time.Minute
	for _, c := range []struct {
		want  int
		names []string
	}{
		{1, []string{fmt.Sprint(ann)}}, {2, []string{fmt.Sprint(bob), "77", fmt.Sprint(ann)}}, {0, []string{"", "_", "x", "1_1", "-1", fmt.Sprintf("%d_0", ann)}},
		{1, []string{fmt.Sprint(array)}}, {1, []string{fmt.Sprintf("%d_99", array), fmt.Sprintf("%d_4", array)}}, {0, []string{fmt.Sprintf("%d_99", array), fmt.Sprintf("%d_", array)}},
		{2, []string{fmt.Sprintf("%d_1", array), fmt.Sprintf("%d_2", array), fmt.Sprint(ann)}},
	} {
		got, err := s.service.Queue(t.Context(), operator, api.QueueQuery{Jobs: c.names})
		must(t, err)
		if got.Total != c.want {
			t.Errorf("%q: %d, want %d", c.names, got.Total, c.want)
		}
	}
	got, err := s.service.Queue(t.Context(), operator, api.QueueQuery{Nodes: []string{"nowhere", "nowhere"}})
	must(t, err)
	if got.Total != 0 {
		t.Errorf("on no node: %+v", got)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.service.Queue(gone, operator, api.QueueQuery{})
	codeIs(t, "nobody waits for it", err, api.CodeUnavailable)
}
