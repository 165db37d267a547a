package answers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/bridge/probes"
	"fairbridge/policy"
)

func TestChangesShowTheViewersOwn(t *testing.T) {
	s := newSite(t, "fifo")
	ann, _ := s.busy()
	for range 4 { // warm up, then order
		s.step()
	}
	all, err := s.service.Changes(t.Context(), annie, api.ChangeQuery{})
	must(t, err)
	if len(all.Changes) < 2 {
		t.Fatalf("the loop changed nothing: %+v", all)
	}
	first, err := s.service.Changes(t.Context(), annie, api.ChangeQuery{Limit: 1})
	must(t, err)
	second, err := s.service.Changes(t.Context(), annie, api.ChangeQuery{Limit: 1, After: first.Next})
	must(t, err)
	if first.Changes[0].ID != all.Changes[0].ID || second.Changes[0].ID != all.Changes[1].ID {
		t.Errorf("pages have %d and %d, all %d and %d", first.Changes[0].ID, second.Changes[0].ID, all.Changes[0].ID, all.Changes[1].ID)
	}
	s.private = api.AllPrivate("test")
	mine, err := s.service.Changes(t.Context(), annie, api.ChangeQuery{})
	must(t, err)
	for _, c := range mine.Changes {
		if c.User != "annie" || c.Edit.Run.Job != ann {
			t.Errorf("%+v", c)
		}
	}
	if len(mine.Changes) == 0 {
		t.Error("ann has none")
	}
	lacks(t, "ann's changes", jsonOf(t, mine), "bobby", "bobaccount")
	for what, q := range map[string]api.ChangeQuery{"of bob": {Users: []string{"bobby"}}, "of his job": {Jobs: []string{"1"}}, "long ago": {Since: s.now().Add(time.Hour)}, "of no job": {Jobs: []string{"77_3"}}} {
		if none, err := s.service.Changes(t.Context(), annie, q); err != nil || len(none.Changes) != 0 {
			t.Errorf("%s: %+v, %v", what, none, err)
		}
	}
	_, err = s.service.Changes(t.Context(), annie, api.ChangeQuery{After: "1 or 1=1"})
	codeIs(t, "after", err, api.CodeBadRequest)
}

// readingsKept is longer than measurements are kept in memory.
const readingsKept = 30 * time.Second

func TestNodesShowWhatIsGivenAndMeasured(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	all, err := s.service.Nodes(t.Context(), annie, api.NodeQuery{})
	must(t, err)
	if len(all.Nodes) != 2 || all.Nodes[0].GPUs[0].Allocated != 8 || len(all.Nodes[0].Jobs) != 1 || all.Nodes[0].Jobs[0].GPUs != 8 || all.Nodes[0].Devices != nil {
		t.Errorf("%+v", all)
	}
	node := all.Nodes[0].Name
	must(t, s.db.RecordReadings(t.Context(), "lab", []probes.Reading{
		{At: s.now().Add(-time.Hour), Node: node, UUID: "GPU-1", Type: "a100", Busy: policy.KnownValue(.9)}, {At: s.now().Add(-time.Minute), Node: node, UUID: "GPU-2", Type: "a100", Busy: policy.KnownValue(.1)},
		{At: s.now(), Node: node, UUID: "GPU-2", Type: "a100", Busy: policy.KnownValue(.25), Job: 1}, {At: s.now(), Node: "elsewhere", UUID: "GPU-3", Type: "a100"},
	}))
	s.ahead = readingsKept
	all, err = s.service.Nodes(t.Context(), annie, api.NodeQuery{})
	must(t, err)
	if d := all.Nodes[0].Devices; len(d) != 1 || d[0].UUID != "GPU-2" || d[0].Busy != policy.KnownValue(.25) || d[0].Memory.Known || all.Nodes[1].Devices != nil {
		t.Errorf("measured %+v", all.Nodes)
	}
	s.private = api.Privacy{Usage: true}
	for v, want := range map[*api.Viewer]int{&annie: 0, &bobby: 1, &operator: 1} {
		if all, err = s.service.Nodes(t.Context(), *v, api.NodeQuery{}); err != nil || len(all.Nodes[0].Devices) != want {
			t.Errorf("%s reads how bob's jobs use their GPUs: %+v, %v", v.User, all, err)
		}
	}
	s.private = api.Privacy{Jobs: true}
	hidden, err := s.service.Nodes(t.Context(), annie, api.NodeQuery{Limit: 1})
	must(t, err)
	if len(hidden.Nodes) != 1 || hidden.Total != 2 || hidden.Next != all.Nodes[0].Name || hidden.Nodes[0].HiddenJobs != 1 || hidden.Nodes[0].GPUs[0].Allocated != 8 {
		t.Errorf("%+v", hidden)
	}
	lacks(t, "the map", jsonOf(t, hidden), "bobby", "bobaccount")
	s.private.Nodes = true
	_, err = s.service.Nodes(t.Context(), annie, api.NodeQuery{})
	codeIs(t, "private", err, api.CodeForbidden)
	if _, err = s.service.Nodes(t.Context(), operator, api.NodeQuery{}); err != nil {
		t.Error(err)
	}
}

func TestSharesInNumbersAndWords(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	all, err := s.service.Shares(t.Context(), annie)
	must(t, err)
	if len(all.Accounts) != 2 || len(all.Users) != 2 || all.Hidden != 0 {
		t.Fatalf("%+v", all)
	}
	ann, bob := all.Accounts[0], all.Accounts[1]
	if bob.RunningGPUs != 16 || bob.WaitingGPUs != 8 || bob.UsedPart != 1 || bob.Entitled != .5 || ann.WaitingJobs != 1 {
		t.Errorf("%+v\n%+v", ann, bob)
	}
	if want := "bobaccount is entitled to 50 % of the cluster and had 100 % of what was used lately: where shares decide, its jobs stand behind those of annaccount."; bob.Words != want {
		t.Errorf("%q, want %q", bob.Words, want)
	}
	s.private = api.AllPrivate("test")
	mine, err := s.service.Shares(t.Context(), annie)
	must(t, err)
	if len(mine.Accounts) != 1 || len(mine.Users) != 1 || mine.Hidden != 2 {
		t.Errorf("%+v", mine)
	}
	lacks(t, "ann's shares", jsonOf(t, mine), "bob", "used_part", "recent")
	s.private = api.Privacy{Jobs: true}
	mine, err = s.service.Shares(t.Context(), annie)
	must(t, err)
	if bob := mine.Accounts[1]; bob.AccountUse == nil || bob.UsedPart != 1 || bob.AccountJobs != nil {
		t.Errorf("with private jobs: %+v", bob)
	}
	s.private = api.Privacy{Jobs: true}
	bobs, err := s.service.Shares(t.Context(), bobby)
	must(t, err)
	for _, a := range bobs.Accounts {
		lacks(t, "the words of "+a.Name+", whose siblings' waiting jobs are private", a.Words, "stand behind those of")
	}
}

func TestPoliciesAndHealth(t *testing.T) {
	s := newSite(t, "fifo")
	h, err := s.service.Health(t.Context())
	must(t, err)
	if h.Status != "stale" || !h.Daemon.Database || h.Daemon.Leads {
		t.Errorf("before the first cycle: %+v", h)
	}
	s.busy()
	s.restart()
	if h, err = s.service.Health(t.Context()); err != nil || h.Status != "ok" || h.Partitions[0].AsOf.IsZero() {
		t.Errorf("%+v, %v", h, err)
	}
	p, err := s.service.Policies(t.Context(), annie)
	must(t, err)
	if len(p.Partitions) != 1 || p.Partitions[0].Policy != "fifo" || p.Partitions[0].ConfiguredMode != "rank" || p.Daemon.Leader == nil {
		t.Errorf("%+v", p)
	}
	lacks(t, "policies and health", jsonOf(t, p)+jsonOf(t, h), "secrethost", "bobby")
	if p, err = s.service.Policies(t.Context(), operator); err != nil || p.Daemon.Leader.Daemon != "secrethost:1" {
		t.Errorf("%+v, %v", p, err)
	}
	s.loseDatabase()
	s.ahead = time.Minute
	if h, err = s.service.Health(t.Context()); err != nil || h.Daemon.Database || h.Status != "ok" {
		t.Errorf("%+v, %v", h, err)
	}
}

// No report tells a plain user of others where that is private, nor refuses where it is not.
func TestReportsShowTheViewersOwn(t *testing.T) {
	s := newSite(t, "fifo")
	s.submit("annie", "annaccount", 8, 0)
	s.submit("bobby", "bobaccount", 8, 0)
	s.submit("bobby", "annaccount", 1, 0)
	for range 4 {
		s.world.Advance(s.world.Now().Add(3 * time.Hour))
		s.step()
	}
	s.config.SumsFirst = true
	s.restart()
	query := api.ReportQuery{Since: s.now().Add(-48 * time.Hour), Until: s.now().Add(time.Hour)}
	told := 0
	for _, r := range report.AllReports() {
		s.private = api.Privacy{}
		open, err := s.service.Report(t.Context(), annie, r.Name, query)
		must(t, err)
		told += strings.Count(jsonOf(t, open), "bob")
		s.private = api.AllPrivate("test")
		mine, err := s.service.Report(t.Context(), annie, r.Name, query)
		if err != nil {
			codeIs(t, r.Name, err, api.CodeForbidden)
			lacks(t, "the refusal of "+r.Name, err.Error(), "bobby", "bobaccount")
			continue
		}
		lacks(t, "report "+r.Name, jsonOf(t, mine), "bobby", "bobaccount")
		if !mine.Hidden || mine.SummedUpTo.IsZero() {
			t.Errorf("report %s does not say that rows are hidden, or how fresh it is: %+v", r.Name, mine.ReportScope)
		}
		if open.Note != "" || r.Name == "usage" && (mine.Note == "" || mine.Rows.ColumnIndex("share") >= 0 || open.Rows.ColumnIndex("share") < 0) {
			t.Errorf("report %s: note %q, columns %q of %q", r.Name, mine.Note, mine.Rows.Columns, open.Rows.Columns)
		}
		both, err := s.service.Report(t.Context(), api.Viewer{User: "carl", Role: api.RoleCoordinator, Accounts: []string{"annaccount"}}, r.Name, query)
		must(t, err)
		lacks(t, "a coordinator's report "+r.Name, jsonOf(t, both), "bobaccount")
	}
	if told < 5 {
		t.Errorf("where all is public reports name bob %d times: the record is too small to prove anything", told)
	}
	for what, q := range map[string]api.ReportQuery{"bob": {User: "bobby"}, "bob's account": {Account: "bobaccount"}} {
		a, err := s.service.Report(t.Context(), annie, "users", q)
		if err == nil && len(a.Rows.Rows) > 0 {
			t.Errorf("%s: %s", what, fmt.Sprint(a.Rows.Rows))
		}
	}
	_, err := s.service.Report(t.Context(), annie, "none", query)
	codeIs(t, "no such report", err, api.CodeNotFound)
	_, err = s.service.Report(t.Context(), annie, "usage", api.ReportQuery{Since: s.now(), Until: s.now().Add(-time.Hour)})
	codeIs(t, "times", err, api.CodeBadRequest)
}
