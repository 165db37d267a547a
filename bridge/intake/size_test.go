package intake

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// resized is the one job of a snapshot, whose owner asked 4 of 2 to 8 GPUs, after a change of the record and
// with the intents.
func resized(t *testing.T, mode bridge.Mode, spec sim.JobSpec, change func(*slurm.Job), intents ...bridge.Intent) (job slurm.Job, low, high, asks, perNode int, ignored string) {
	t.Helper()
	spec.User, spec.Account, spec.Partition, spec.TimeLimit, spec.WorkTime, spec.Comment = "ann", "vision", "gpu", time.Hour, time.Hour, "fairbridge:min=2,max=8"
	v := view(t, world(t, spec))
	if change != nil {
		change(v.Job(1))
	}
	for i := range intents {
		intents[i].Edit.Run, intents[i].Before.GPUs = v.Job(1).CurrentRun(), 4
	}
	s := AssembleSnapshot(Input{View: v, Book: ledger.NewIntentBook(intents), HasExpiryTimer: true}, bridge.Partition{Name: "gpu", Mode: mode})
	j := s.Job(1)
	return *v.Job(1), j.MinGPUs, j.MaxGPUs, j.Ask.GPUs.Count, j.Ask.PerNode, j.IgnoredReason
}

// TestOnlySizeableJobsAreElastic: elsewhere, and where Slurm cannot change the size cleanly, a declared range does
// not count, and that is told.
func TestOnlySizeableJobsAreElastic(t *testing.T) {
	perNode := sim.JobSpec{GPUsPerNode: 4, GPUType: "a100"}
	for name, c := range map[string]struct {
		mode   bridge.Mode
		spec   sim.JobSpec
		change func(*slurm.Job)
		says   string // "": the range counts
	}{
		"elastic":      {bridge.ModeElastic, perNode, nil, ""},
		"preempt":      {bridge.ModePreempt, perNode, nil, "not in mode elastic"},
		"observe":      {bridge.ModeObserve, perNode, nil, "not in mode elastic"},
		"per job":      {bridge.ModeElastic, sim.JobSpec{GPUs: 4, GPUType: "a100"}, nil, "--gres=gpu:N"},
		"two nodes":    {bridge.ModeElastic, sim.JobSpec{GPUsPerNode: 2, MinNodes: 2, GPUType: "a100"}, nil, "one task on one node"},
		"cores a GPU":  {bridge.ModeElastic, perNode, func(j *slurm.Job) { j.CPUsPerGRES = "gres/gpu:4" }, "--cpus-per-gpu"},
		"of an array":  {bridge.ModeElastic, perNode, func(j *slurm.Job) { j.ArrayJobID, j.IsArrayTask = 1, true }, "array"},
		"no such node": {bridge.ModeElastic, perNode, func(j *slurm.Job) { j.ExcludedNodes = slurm.ReadHosts("n[1-99]") }, "no node has 2 such GPUs"},
	} {
		_, low, high, asks, per, ignored := resized(t, c.mode, c.spec, c.change)
		counts := low == 2 && high == 8 && per == 0 && ignored == ""
		if asks != 4 || counts != (c.says == "") || c.says != "" && (low != 0 || high != 0 || !strings.Contains(ignored, c.says)) {
			t.Errorf("%s: %d to %d, asks %d (%d a node), %q; want %q", name, low, high, asks, per, ignored, c.says)
		}
	}
}

// TestOwnersSizeIsTheAsk: a number of GPUs of ours is not taken for the owner's, and one that somebody set is.
func TestOwnersSizeIsTheAsk(t *testing.T) {
	two := func(j *slurm.Job) { setRequest(j, "2") }
	ours := bridge.Intent{ID: 1, State: bridge.IntentObserved, Edit: slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2}}
	if _, low, high, asks, _, _ := resized(t, bridge.ModeElastic, sim.JobSpec{GPUsPerNode: 4}, two, ours); asks != 4 || low != 2 || high != 8 {
		t.Errorf("after 2 of ours it asks %d, %d to %d", asks, low, high)
	}
	three := func(j *slurm.Job) { setRequest(j, "3") }
	if j, _, _, asks, _, _ := resized(t, bridge.ModeElastic, sim.JobSpec{GPUsPerNode: 4}, three, ours); asks != 3 || actuator.ValueOwnerOf(&ours, &j) != actuator.OwnerOther {
		t.Errorf("its owner wrote 3 after us, it asks %d", asks)
	}
	if _, _, _, asks, per, _ := resized(t, bridge.ModePreempt, sim.JobSpec{GPUsPerNode: 4}, two, ours); asks != 4 || per != 4 {
		t.Errorf("in a lower mode it asks %d, %d a node", asks, per)
	}
}

// TestSizesTheGateRefusesAreNotPlanned: a job is planned on no size that the gate would not let through, or it would
// wait for one that it is never given.
func TestSizesTheGateRefusesAreNotPlanned(t *testing.T) {
	v := view(t, world(t, sim.JobSpec{User: "ann", Account: "vision", Partition: "gpu", TimeLimit: time.Hour, WorkTime: time.Hour, Comment: "fairbridge:min=2,max=8", GPUsPerNode: 4}))
	all := map[string]bridge.Mode{"gpu": bridge.ModeElastic, "long": bridge.ModeElastic, "low": bridge.ModePreempt}
	run := v.Job(1).CurrentRun()
	vain := bridge.Intent{ID: 1, State: bridge.IntentExpired, Sent: v.At.Add(-23 * time.Hour), Before: bridge.JobBefore{GPUs: 4},
		Edit: slurm.Edit{Run: run, Kind: slurm.EditSetGPUs, Value: 4, Why: "Slurm does not start it on that many GPUs: its own number is given back"}}
	old, other := vain, vain
	old.Sent, other.Edit.Why = v.At.Add(-25*time.Hour), "it is not started on that many GPUs: its own number is given back"
	for name, c := range map[string]struct {
		partitions []string
		lacksTimer bool
		intent     bridge.Intent
		low, high  int
		says       string
	}{
		"one partition":               {[]string{"gpu"}, false, other, 2, 8, ""},
		"two, both elastic":           {[]string{"gpu", "long"}, false, other, 2, 8, ""},
		"another in a lower mode":     {[]string{"gpu", "low"}, false, other, 0, 0, "partition low is not in mode elastic"},
		"another that is not managed": {[]string{"gpu", "theirs"}, false, other, 0, 0, "partition theirs is not in mode elastic"},
		"no timer":                    {[]string{"gpu"}, true, other, 2, 4, "fairbridge expire"},
		"a limit kept it back":        {[]string{"gpu"}, false, vain, 0, 0, "Slurm kept it from starting"},
		"it did so long ago":          {[]string{"gpu"}, false, old, 2, 8, ""},
	} {
		v.Job(1).Partitions = c.partitions
		in := Input{View: v, Book: ledger.NewIntentBook([]bridge.Intent{c.intent}), ModeByPartition: all, HasExpiryTimer: !c.lacksTimer}
		j := AssembleSnapshot(in, bridge.Partition{Name: "gpu", Mode: bridge.ModeElastic}).Job(1)
		if j.MinGPUs != c.low || j.MaxGPUs != c.high || !strings.Contains(j.IgnoredReason, c.says) || c.says == "" && j.IgnoredReason != "" {
			t.Errorf("%s: %d to %d, %q; want %d to %d, %q", name, j.MinGPUs, j.MaxGPUs, j.IgnoredReason, c.low, c.high, c.says)
		}
	}
}

// TestLeftAloneJobsAreRigid: the gate changes nothing in the jobs of exempt users, accounts and partitions, in exempt
// jobs, nor in those that are left alone, so that none is planned on another size. Its owner is told why.
func TestLeftAloneJobsAreRigid(t *testing.T) {
	v := view(t, world(t, sim.JobSpec{User: "ann", Account: "vision", Partition: "gpu", TimeLimit: time.Hour, WorkTime: time.Hour, Comment: "fairbridge:min=2,max=8", GPUsPerNode: 4}))
	run := v.Job(1).CurrentRun()
	changed := []bridge.Intent{{ID: 1, State: bridge.IntentYielded, Closed: v.At.Add(-time.Hour), Error: "its nice is 7 now, we had set 5", Edit: slurm.Edit{Run: run, Kind: slurm.EditNice, Value: 5}}}
	for says, c := range map[string]struct {
		budgets bridge.Budgets
		users   map[string]string
		intents []bridge.Intent
	}{
		"":                        {bridge.Budgets{ExemptUsers: []string{"bob"}}, map[string]string{"bob": "no"}, nil},
		"user ann is exempt":      {bridge.Budgets{ExemptUsers: []string{"root", "ann"}}, nil, nil},
		"account vision is exemp": {bridge.Budgets{ExemptAccounts: []string{"vision"}}, nil, nil},
		"partition gpu is exempt": {bridge.Budgets{ExemptPartitions: []string{"gpu"}}, nil, nil},
		"the job is exempt":       {bridge.Budgets{ExemptJobs: []int64{1}}, nil, nil},
		"she changes them back":   {bridge.Budgets{}, map[string]string{"ann": "she changes them back"}, nil},
		"its nice is 7 now":       {bridge.Budgets{}, nil, changed},
	} {
		in := Input{View: v, Book: ledger.NewIntentBook(c.intents), HasExpiryTimer: true, Budgets: &c.budgets, LeftAloneReasonByUser: c.users}
		j := AssembleSnapshot(in, bridge.Partition{Name: "gpu", Mode: bridge.ModeElastic}).Job(1)
		if isElastic := j.MaxGPUs == 8; isElastic != (says == "") || !isElastic && j.MinGPUs != 0 || !strings.Contains(j.IgnoredReason, says) || says == "" && j.IgnoredReason != "" {
			t.Errorf("%q: %d to %d, %q", says, j.MinGPUs, j.MaxGPUs, j.IgnoredReason)
		}
	}
}

// TestServiceIsOfWhatIsHeld: a job is served the GPUs that Slurm gave it, also where its record asks for others.
func TestServiceIsOfWhatIsHeld(t *testing.T) {
	w := world(t, sim.JobSpec{User: "ann", Account: "vision", Partition: "gpu", TimeLimit: time.Hour, WorkTime: time.Hour, GPUsPerNode: 4, GPUType: "a100"})
	w.Advance(w.Now().Add(2 * time.Minute))
	v := view(t, w)
	j := v.Job(1)
	j.AllocatedTRES, j.GresDetail = slurm.ReadTRES("cpu=1,gres/gpu=2,gres/gpu:a100=2"), nil
	p := AssembleSnapshot(Input{View: v}, preempting("gpu")).Job(1)
	if want := policy.ServiceForTime(2, p.Ran(v.At)); p.Attained != want || want == 0 || p.Ask.GPUs.Count != 4 {
		t.Errorf("after %v on 2 GPUs, asking %d, it was served %v, want %v", p.Ran(v.At), p.Ask.GPUs.Count, p.Attained, want)
	}
}

// TestLeftAloneJobsAreNotStopped: a plan that stopped one would stop others beside it, in vain.
func TestLeftAloneJobsAreNotStopped(t *testing.T) {
	w := world(t, sim.JobSpec{
		User: "ann", Account: "vision", Partition: "gpu", TimeLimit: time.Hour, WorkTime: time.Hour,
		Comment: "fairbridge:preemptible", GPUsPerNode: 4,
	})
	w.Advance(w.Now().Add(2 * time.Minute))
	v := view(t, w)
	changed := []bridge.Intent{{
		ID: 1, State: bridge.IntentYielded, Closed: v.At, Error: "its nice is 7 now",
		Edit: slurm.Edit{Run: v.Job(1).CurrentRun(), Kind: slurm.EditNice},
	}}
	for says, intents := range map[string][]bridge.Intent{"": nil, "its nice is 7 now": changed} {
		in := Input{View: v, Book: ledger.NewIntentBook(intents), OptIn: bridge.OptIn{Comment: true}}
		if j := AssembleSnapshot(in, preempting("gpu")).Job(1); j.UnstoppableReason != says {
			t.Errorf("not to be stopped: %q, want %q", j.UnstoppableReason, says)
		}
	}
}

func setRequest(j *slurm.Job, gpus string) {
	j.RequestedTRES, j.GresPerNode = slurm.ReadTRES("cpu=1,gres/gpu="+gpus), slurm.ReadGRESRequest("gres/gpu:"+gpus)
}
