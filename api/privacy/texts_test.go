package privacy_test

import (
	"slices"
	"testing"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/api/privacy"
	"fairbridge/bridge"
)

// names are a site of two users: ann has jobs 1 and 47 in phys, bob job 2, tasks of 50 and job 7+1 in bio.
type names struct{}

func (names) JobOwner(address string) (user, account string, known bool) {
	switch {
	case slices.Contains([]string{"1", "47_3", "47_[0-9]"}, address):
		return "ann", "phys", true
	case slices.Contains([]string{"2", "50_1", "50_[2-4,7]", "7+1"}, address):
		return "bob", "bio", true
	}
	return "", "", false
}

func (names) UserAccounts(name string) []string {
	return map[string][]string{"ann": {"phys"}, "bob": {"bio"}, `DOM\bea`: {"bio"}, "job": {"bio"}, "4": {"bio"}}[name]
}

func (names) IsAccount(name string) bool {
	return slices.Contains([]string{"phys", "bio", "gpu"}, name)
}

func textsFor(v api.Viewer, p api.Privacy) *privacy.Texts {
	return &privacy.Texts{Rule: privacy.Rule{Viewer: &v, Private: p}, Names: names{}}
}

var ann = api.Viewer{User: "ann", Role: api.RoleUser}

func TestHide(t *testing.T) {
	texts := textsFor(ann, api.AllPrivate("test"))
	for text, want := range map[string]string{
		"": "", "it is held": "it is held",
		"job 1 is ahead, blocked, and may not be passed": "job 1 is ahead, blocked, and may not be passed",
		"job 2 is ahead, blocked":                        "another job is ahead, blocked",
		"job 99 is ahead":                                "another job is ahead",
		"jobs 1 and 2 share rank 3":                      "jobs 1 and another share rank 3",
		"jobs 2, 50_1 and 7+1 give way":                  "other jobs give way",
		"jobs 2, 47_3 and 7+1 give way":                  "jobs 47_3 and others give way",
		"the scripts of job 50_[2-4,7], which give way":  "the scripts of another job, which give way",
		"job 47_[0-9] gives way to job 2: it ran 5h":     "job 47_[0-9] gives way to another job: it ran 5h",
		"3 jobs wait ahead, 2 of them of account bio":    "3 jobs wait ahead, 2 of them of another account",
		"3 jobs wait ahead, 2 of them of account phys":   "3 jobs wait ahead, 2 of them of account phys",
		"user bob is exempt":                             "another user is exempt",
		"user ann is exempt":                             "user ann is exempt",
		"account gone2 is exempt":                        "another account is exempt",
		"its account has 2.0 of its share":               "its account has 2.0 of its share",
		"1 job of account bio/bob/my secret; x waits":    "1 job of another account (the rest names jobs of others)",
		"the jobs of account phys/ann/x y before it":     "the jobs of account phys/ann/x y before it",
		"the jobs of account bio/3 wait":                 "the jobs of another account/3 wait",
		`5 jobs of DOM\bea were changed`:                 "5 jobs of another user were changed",
		"jobs of user bob were stopped 4 times":          "jobs of another user were stopped 4 times",
		"bob's own nice":                                 "another user's own nice",
		"(account bio)":                                  "(another account)",
		"partition gpu has no room":                      "partition gpu has no room",
		"bobcat and biology stay":                        "bobcat and biology stay",
	} {
		if got := texts.Hide(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestWhatIsPublicIsNotHidden(t *testing.T) {
	const text = "job 2 of user bob, account bio"
	for what, texts := range map[string]*privacy.Texts{
		"an operator": textsFor(api.NewLocalOperator("root"), api.AllPrivate("test")), "nodes alone private": textsFor(ann, api.Privacy{Nodes: true}),
		"a coordinator": textsFor(api.Viewer{User: "cem", Role: api.RoleCoordinator, Accounts: []string{"bio"}}, api.AllPrivate("test")),
	} {
		if got := texts.Hide(text); got != text {
			t.Errorf("%s reads %q", what, got)
		}
	}
}

func TestDoubtsNameNobody(t *testing.T) {
	rule := privacy.Rule{Viewer: &ann}
	state := api.DaemonState{Leader: &journal.Leader{Daemon: "host:1", Leads: true}, RecordError: "dial host:5432", Doubts: []journal.RecordedDoubt{{Cause: bridge.CauseRewrites, Why: "job 2 of bob", Daemon: "host:1"}}}
	got := rule.Daemon(state)
	if got.Leader.Daemon != "" || !got.Leader.Leads || got.Doubts[0].Why != "jobs lost other values when they were changed" || got.Doubts[0].Daemon != "" || got.RecordError != "the database cannot be asked now" {
		t.Errorf("%+v, %+v", got, got.Leader)
	}
	if state.Leader.Daemon != "host:1" || state.Doubts[0].Why != "job 2 of bob" {
		t.Error("what was given was changed")
	}
	for _, cause := range append(slices.Clone(bridge.DoubtCauses), bridge.GateCause("I3")) {
		if text := privacy.PublicDoubt(cause); text == "" || text == privacy.PublicDoubt("unheard of") {
			t.Errorf("cause %s has no words of its own", cause)
		}
	}
}
