package ask

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/internal/cli"
	"fairbridge/policy"
)

// words are a text without what only lines it up.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// has wants a command line to print texts.
func (f *fakeSource) has(t *testing.T, line string, want ...string) string {
	t.Helper()
	out, errs, err := f.ask(t, strings.Fields(line)...)
	for _, w := range want {
		if err != nil || !strings.Contains(words(out), w) {
			t.Errorf("%s: %v lacks %q:\n%s%s", line, err, w, out, errs)
		}
	}
	return out
}

func TestNodes(t *testing.T) {
	f := newFakeSource()
	f.nodes = api.Nodes{AsOf: time.Now(), Nodes: []api.Node{
		{Name: "n1", Partitions: []string{"gpu", "long"}, GPUs: []api.NodeGPUs{{Type: "a100", Count: 8, Allocated: 5, Sick: 1}}, HiddenJobs: 2,
			Jobs:    []api.NodeJob{{Address: "7_1", User: "ann", GPUs: 3}},
			Devices: []api.DeviceUse{{Busy: policy.KnownValue(.5), Memory: policy.KnownValue(.2)}, {Busy: policy.KnownValue(1)}, {}}},
		{Name: "n2", Partitions: []string{"gpu"}, GPUs: []api.NodeGPUs{{Type: "h100", Count: 4}}, Down: "drained"},
	}}
	f.has(t, "nodes -p gpu,long -w n[1-2]", "n1 gpu,long 8 a100 (1 faulty) 5 2 75 % 20 % 7_1 (ann, 3), 2 private",
		"n2 gpu 4 h100 0 0 – – nothing new may start: drained", "12 GPUs, 5 given to jobs, 2 free. As of ")
	if q := f.nodeQuery; strings.Join(q.Names, " ") != "n1 n2" || strings.Join(q.Partitions, " ") != "gpu long" {
		t.Errorf("it asks %+v", q)
	}
	f.nodes.Nodes = nil
	f.has(t, "nodes", "No node with GPUs is one that was asked for.")
	if _, _, err := f.ask(t, "nodes", "-w", "n[3-1]"); !cli.IsUsageError(err) {
		t.Errorf("a wrong hostlist: %v", err)
	}
}

func TestShares(t *testing.T) {
	f := newFakeSource()
	f.shares = api.Shares{AsOf: time.Now(), Stale: true, Hidden: 4,
		Accounts: []api.AccountShare{{Name: "phys", Parent: "root", Weight: 2.5, Entitled: .25, AccountUse: &api.AccountUse{UsedPart: .125}, AccountJobs: &api.AccountJobs{RunningGPUs: 8, WaitingGPUs: 3, WaitingJobs: 1}, Words: "got half of its due"}, {Name: "chem", Words: "it is private"}},
		Users:    []api.UserShare{{Name: "ann", Account: "phys", RunningGPUs: 8}, {Name: "bob", Account: "chem"}},
	}
	f.has(t, "shares", "phys root 2.5 25.0 % 12.5 %", "8 3 in 1 job chem", "chem 0 0.0 % – – – – phys: got half of its due", "ann phys", "4 of others not shown", "No cycle since: the daemon answers, but none leads")
	if out := f.has(t, "shares -A phys", "ann phys"); strings.Contains(out, "chem") {
		t.Errorf("-A phys shows\n%s", out)
	}
	f.has(t, "shares -A none", "No account is one that was asked for")
}

// A daemon that answers runs: only who reads the record is sent to systemctl, others hear what is in doubt.
func TestWhyThereIsNoNewerCycle(t *testing.T) {
	doubt := api.DaemonState{Doubts: []journal.RecordedDoubt{{Cause: bridge.CauseFailedPoll, Why: "Slurm could not be read", Since: time.Now(), At: time.Now()}}}
	for _, reads := range []bool{false, true} {
		f := newFakeSource()
		f.readsRecord = reads
		f.policies.Daemon, f.queue[0].Daemon = doubt, doubt
		f.nodes.Stale, f.shares.Stale, f.queue[0].Partitions[0].Stale = true, true, true
		f.nodes.AsOf, f.shares.AsOf = time.Now(), time.Now()
		want := "No cycle since: fairbridge is in doubt, because Slurm could not be read"
		if reads {
			want = "No cycle since: " + askTheHost
		}
		for _, line := range []string{"nodes", "shares", "queue"} {
			f.has(t, line, want)
		}
	}
	for want, s := range map[string]api.DaemonState{
		"the daemon answers, but cannot ask its database": {RecordError: "x"},
		"the daemon answers, but ended none":              {Leader: &journal.Leader{Leads: true}},
	} {
		if got := whyNoCycle(false, &s); !strings.HasPrefix(got, want) {
			t.Errorf("%+v: %s", s, got)
		}
	}
}

func TestChanges(t *testing.T) {
	f := newFakeSource()
	made := time.Now().Add(-time.Minute)
	f.changes = api.Changes{Next: "p2", Changes: []api.Change{{
		Intent:  bridge.Intent{ID: 42, Edit: slurm.Edit{Kind: slurm.EditNice, Run: slurm.Run{Job: 9}, Value: 5, Tasks: 1, Why: "its turn is later"}, State: bridge.IntentFailed, Error: "2050 refused", Made: made},
		Address: "7_1", User: "ann",
	}}}
	f.has(t, "changes --me -j 5_1,7 --kind nice -t failed --limit 3 --since 7d", "42 7_1 ann nice job 7_1", "FAILED (2050 refused) its turn is later", "There are more")
	q := f.changeQuery
	if strings.Join(q.Users, "") != "ann" || strings.Join(q.Jobs, " ") != "5_1 7" || q.Kinds[0] != "nice" || q.States[0] != "FAILED" || q.Limit != 3 || time.Since(q.Since) < 6*24*time.Hour {
		t.Errorf("it asks %+v", q)
	}
	f.changes = api.Changes{}
	f.has(t, "changes", "Nothing that was asked for and that you may see was changed")
	for _, line := range []string{"changes -j five", "changes --since soon", "changes --me -u bob", "changes --limit 0", "changes --kind nise", "changes -t XX", "queue -t XX"} {
		if _, _, err := f.ask(t, strings.Fields(line)...); !cli.IsUsageError(err) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A terminal of 80 columns has no room for a whole text that was written, nor for how a job came by its rank.
func TestTablesAreShort(t *testing.T) {
	e := slurm.Edit{Kind: slurm.EditAdminComment, Run: slurm.Run{Job: 9}, Text: "fairbridge 2 Mar 12:00 UTC: waits as 3rd of 12; others are ahead of it"}
	if got := changeText(e, "7_1", time.Now()); got != `admin_comment job 7_1 "fairbridge 2 Mar 12:00 …"` {
		t.Error(got)
	}
	j := &api.QueueJob{}
	j.Why = "waits as 2nd: none is free; its rank: it has 4h to go; its account used 0.00"
	j.NotPushed = []string{"mode observe"}
	for width, want := range map[int]string{0: whyText(j), 80: "waits as 2nd: none is free; not sent to Slurm: mode observe"} {
		if got := whyText(shownJob(j, width)); got != want {
			t.Errorf("width %d: %s", width, got)
		}
	}
}

// Commands that no daemon answers say so, in the list and to who has no configuration.
func TestReportsThatNeedTheConfiguration(t *testing.T) {
	t.Setenv("FAIRBRIDGE_CONFIG", "/nowhere/fairbridge.yaml")
	f := newFakeSource()
	f.has(t, "report", "Whether jobs fare better or worse on the days of a canary: a command of its own; it needs the configuration: for administrators")
	for _, name := range []string{"shadow", "canary"} {
		if _, _, err := f.ask(t, "report", name); !cli.IsUsageError(err) || !strings.Contains(err.Error(), "report "+name+" needs the configuration: for administrators: open /nowhere") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhoAmI(t *testing.T) {
	for want, v := range map[string]api.Viewer{
		"ann, user, by a munge credential of a test. You see your own jobs and what is public.":                                             {User: "ann", Role: api.RoleUser, Origin: "munge"},
		"bob, coordinator, by the socket of a test. You see your own jobs, those of the accounts that you coordinate (chem, phys), and":     {User: "bob", Role: api.RoleCoordinator, Accounts: []string{"chem", "phys"}, Origin: "socket"},
		"root, operator, by the files of a test. You see everything.":                                                                       {User: "root", Role: api.RoleOperator, Origin: "local"},
		"ann, user, by the word of the proxy of a test. You see your own jobs and what is public. Whether you may see more is not known: x": {User: "ann", Role: api.RoleUser, Origin: "proxy", RoleUnknown: "x"},
	} {
		f := newFakeSource()
		f.viewer = v
		f.has(t, "whoami", want)
		f.has(t, "whoami --json", `"role": "`+string(v.Role)+`"`)
	}
}

// Who asks hears what is private, and why.
func TestWhoAmISaysWhatIsPrivate(t *testing.T) {
	all := api.AllPrivate("PrivateData of slurm.conf is not known")
	for want, private := range map[string]api.Privacy{
		"Private here, of others: jobs (slurm.conf (PrivateData)).":                                        {Jobs: true, Source: "slurm.conf (PrivateData)"},
		"Private here, of others: jobs, usage and shares, nodes (PrivateData of slurm.conf is not known).": all,
		"Nothing of others is private here (configuration (api.private)).":                                 {Source: "configuration (api.private)"},
	} {
		f := newFakeSource()
		f.viewer.Private = &private
		f.has(t, "whoami", want)
		f.has(t, "whoami --json", `"source": "`+private.Source+`"`)
	}
}

func TestReportComesFromTheAnswer(t *testing.T) {
	f := newFakeSource()
	now := time.Now()
	usage := &api.Report{ReportScope: api.ReportScope{Cluster: "lab", Since: now.Add(-time.Hour), Until: now, Hidden: true, Note: "Not all.", SummedUpTo: now, DaysBehind: 2}}
	usage.Rows = &report.Table{Columns: []string{"account", "gpu_hours"}, Rows: [][]any{{"phys", 2.5}}}
	f.reports = map[string]*api.Report{"usage": usage}
	f.has(t, "report usage --user ann -A phys --since 30d", "GPU-hours by account Cluster lab, ", "phys 2.5 Not all. The record is summed up to", ", but for 2 days that changed since.", "Rows of others are not shown")
	if f.reportQuery.User != "ann" || f.reportQuery.Account != "phys" || time.Since(f.reportQuery.Since) < 29*24*time.Hour {
		t.Errorf("it asks %+v", f.reportQuery)
	}
	if out := f.has(t, "report usage --format csv"); out != "account,gpu_hours\nphys,2.5\n" {
		t.Errorf("CSV: %q", out)
	}
	f.has(t, "report usage --format html", "<svg viewBox", "GPU-hours by account", "phys", "Not all.")
	var answer struct{ Rows []map[string]any }
	if err := json.Unmarshal([]byte(f.has(t, "report usage --json")), &answer); err != nil || len(answer.Rows) != 1 || answer.Rows[0]["gpu_hours"] != 2.5 {
		t.Errorf("JSON: %v %+v", err, answer)
	}
	empty := &api.Report{}
	empty.Rows = &report.Table{}
	f.reports["users"] = empty
	f.has(t, "report users", "Nothing is summed up yet.")
	empty.SummedUpTo = now
	f.has(t, "report users", "Nothing in this time.")
	f.err = &api.Error{Code: api.CodeForbidden, Message: "private"}
	if out := f.has(t, "report all", "phys 2.5"); strings.Contains(out, "Waits") {
		t.Errorf("what is not answered is printed:\n%s", out)
	}
	if _, _, err := f.ask(t, "report", "waits"); err == nil || api.CodeOf(err) != api.CodeForbidden {
		t.Errorf("a private report: %v", err)
	}
}

// What is unknown, and what is not for who asks, ends alike: with the daemon's words, and status 3.
func TestUnknownJobsAreTold(t *testing.T) {
	f := newFakeSource()
	f.err = &api.Error{Code: api.CodeNotFound, Message: "job 9: fairbridge has never seen this job, or it is private", Try: "is the number right?"}
	for _, line := range []string{"explain 9", "job 9", "explain 9 --json", "report users --user zoe"} {
		out, errs, err := f.ask(t, strings.Fields(line)...)
		if err != cli.ErrFinding || errs != "job 9: fairbridge has never seen this job, or it is private: is the number right?\n" || out != "" {
			t.Errorf("%s: %v %q %q", line, err, errs, out)
		}
	}
	for text, ok := range map[string]bool{"4711": true, "47_3": true, "47_[0-2,9]": true, "47_[0-2%1]": true, "7+1": true, "0": false, "-4": false, "47_": false, "47_x": false, "4 7": false, "47.batch": false, "": false, "47_[": false, "../me": false} {
		if err := CheckAddress(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
