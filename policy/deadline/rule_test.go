package deadline

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
)

var now = policytest.SnapshotTime

// job asks for GPUs within two hours, and may run for one.
func job(id policy.JobID, account string, gpus int, change ...func(*policy.Job)) policy.Job {
	j := policy.Job{ID: id, User: "u", Account: account, Partition: "p", State: policy.Pending, Arrive: now.Add(-time.Hour), Limit: time.Hour,
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: gpus}}, Deadline: now.Add(2 * time.Hour)}
	for _, f := range change {
		f(&j)
	}
	return j
}

func runs(j *policy.Job) {
	j.State, j.Start = policy.Running, now.Add(-30*time.Minute)
	j.On = policy.Alloc{{Node: "n1", Type: "g", Count: j.Ask.GPUs.Count}}
}

func fixed(j *policy.Job)      { j.UnstoppableReason = "its owner" }
func noDeadline(j *policy.Job) { j.Deadline = time.Time{} }

func due(in time.Duration) func(*policy.Job) {
	return func(j *policy.Job) { j.Deadline = now.Add(in) }
}

// cluster has 16 GPUs; account a has a quarter of what a and b weigh together.
func cluster(jobs ...policy.Job) *policy.Snapshot {
	return &policy.Snapshot{Now: now, Jobs: jobs, Accounts: []policy.Account{{Name: "a", Weight: 1}, {Name: "b", Weight: 3}},
		Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 16}}}}}
}

// counting are the jobs whose deadlines a policy sees, and what it says of the others.
func counting(t *testing.T, s *policy.Snapshot) (seen map[policy.JobID]bool, why map[policy.JobID]string, memo policy.Memo) {
	t.Helper()
	seen, why = map[policy.JobID]bool{}, map[policy.JobID]string{}
	plan, err := Rule{}.Decide(s, func(s *policy.Snapshot) (*policy.Plan, error) {
		plan := &policy.Plan{}
		for i := range s.Jobs {
			seen[s.Jobs[i].ID] = !s.Jobs[i].Deadline.IsZero()
			plan.Decisions = append(plan.Decisions, policy.Decision{Job: s.Jobs[i].ID, On: s.Jobs[i].On})
		}
		return plan, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range plan.Decisions {
		why[d.Job] = strings.TrimPrefix(d.Why, "; ")
	}
	return seen, why, plan.Memo
}

func TestDeadlinesCountWithinTheShare(t *testing.T) {
	for name, c := range map[string]struct {
		jobs []policy.Job
		want string // the jobs whose deadlines count
	}{
		"the account's four":                       {[]policy.Job{job(1, "a", 4), job(2, "b", 16, noDeadline)}, "1"},
		"not the fifth":                            {[]policy.Job{job(1, "a", 5), job(2, "b", 16, noDeadline)}, ""},
		"what another leaves is nobody's":          {[]policy.Job{job(1, "a", 5), job(2, "b", 8, noDeadline)}, "1"},
		"an account alone":                         {[]policy.Job{job(1, "a", 16), job(2, "a", 16)}, "12"},
		"the earliest deadline first":              {[]policy.Job{job(1, "a", 3), job(2, "a", 3, due(time.Hour)), job(3, "b", 16, noDeadline)}, "2"},
		"a smaller one besides":                    {[]policy.Job{job(1, "a", 3), job(2, "a", 1, due(3*time.Hour)), job(3, "b", 16, noDeadline)}, "12"},
		"what runs without one is taken":           {[]policy.Job{job(1, "a", 2, runs, noDeadline), job(2, "a", 3), job(3, "b", 16, noDeadline)}, ""},
		"and leaves the rest":                      {[]policy.Job{job(1, "a", 2, runs, noDeadline), job(2, "a", 2), job(3, "b", 16, noDeadline)}, "2"},
		"an earlier one before one that runs":      {[]policy.Job{job(1, "a", 4, runs), job(2, "a", 4, due(time.Hour)), job(3, "b", 16, noDeadline)}, "2"},
		"not before one that cannot be stopped":    {[]policy.Job{job(1, "a", 4, runs, fixed), job(2, "a", 4, due(time.Hour)), job(3, "b", 16, noDeadline)}, "1"},
		"one that runs whatever runs besides":      {[]policy.Job{job(1, "a", 4, runs), job(2, "a", 4, runs, noDeadline), job(3, "b", 16, noDeadline)}, "1"},
		"an array with all its tasks":              {[]policy.Job{job(1, "a", 1, func(j *policy.Job) { j.Tasks = 5 }), job(2, "b", 16, noDeadline)}, ""},
		"of one that cannot start nothing is said": {[]policy.Job{job(1, "a", 16, func(j *policy.Job) { j.HeldReason = "held" }), job(2, "b", 16, noDeadline)}, "1"},
	} {
		seen, why, memo := counting(t, cluster(c.jobs...))
		got := ""
		for i := range c.jobs {
			if j := &c.jobs[i]; seen[j.ID] {
				got += j.Label()
			} else if !j.Deadline.IsZero() && !strings.Contains(why[j.ID], "does not count: account a is due") {
				t.Errorf("%s: job %d is told %q", name, j.ID, why[j.ID])
			}
		}
		if got != c.want || !memo.IsZero() {
			t.Errorf("%s: those of %q count, want %q; memo %v", name, got, c.want, memo)
		}
	}
}

func TestReasonsHaveTheirNumbers(t *testing.T) {
	s := cluster(job(1, "a", 1, runs, noDeadline), job(2, "a", 5), job(3, "b", 16, noDeadline))
	_, why, _ := counting(t, s)
	want := "its deadline 2026-03-02 14:00 UTC does not count: account a is due 4 of 16 GPUs, and with this job's 5 it would have 6; no deadline budget was granted to its account or QOS"
	if why[2] != want {
		t.Errorf("%q\nwant %q", why[2], want)
	}
	s.OmitReasons = true
	if _, why, _ = counting(t, s); why[2] != "" {
		t.Errorf("%q, though reasons are omitted", why[2])
	}
}

// An elastic job is offered no more than is left of the share.
func TestElasticJobsStayWithinTheShare(t *testing.T) {
	elastic := func(j *policy.Job) { j.MinGPUs, j.MaxGPUs = 1, 16 }
	s := cluster(job(1, "a", 1, due(time.Hour)), job(2, "a", 2, elastic), job(3, "b", 16, noDeadline))
	_, err := Rule{}.Decide(s, func(seen *policy.Snapshot) (*policy.Plan, error) {
		if j := seen.Job(2); j.MaxGPUs != 3 || s.Job(2).MaxGPUs != 16 {
			t.Errorf("it is offered up to %d GPUs, 3 are left; the snapshot says %d", j.MaxGPUs, s.Job(2).MaxGPUs)
		}
		return &policy.Plan{Decisions: make([]policy.Decision, 3)}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		budgets []policy.DeadlineBudget
		change  func(*policy.Job)
		why     string
	}{
		"of its account":    {[]policy.DeadlineBudget{{Account: "a", Weekly: 8 * 3600}}, nil, "counts by the deadline budget of account a, of which 8.00 GPU-h are set aside for it"},
		"of its QOS":        {[]policy.DeadlineBudget{{Account: "b", Weekly: 1e9}, {QOS: "q", Weekly: 8 * 3600}}, nil, "counts by the deadline budget of QOS q"},
		"too small":         {[]policy.DeadlineBudget{{Account: "a", Weekly: 7 * 3600}}, nil, "of the 7.00 GPU-h of the deadline budget of account a for a week 7.00 GPU-h are left, and it may take 8.00 GPU-h"},
		"of others":         {[]policy.DeadlineBudget{{Account: "b", Weekly: 1e9}}, nil, "no deadline budget was granted"},
		"nothing bounds":    {[]policy.DeadlineBudget{{Account: "a", Weekly: 1e9}}, func(j *policy.Job) { j.Limit = 0 }, "give it a time limit"},
		"a prediction does": {[]policy.DeadlineBudget{{Account: "a", Weekly: 4 * 3600}}, func(j *policy.Job) { j.Limit, j.PredictedLeft = 0, 30*time.Minute }, "counts by the deadline budget"},
	} {
		s := cluster(job(1, "a", 8, func(j *policy.Job) { j.QOS = "q" }), job(2, "b", 16, noDeadline))
		if s.DeadlineBudgets = c.budgets; c.change != nil {
			c.change(&s.Jobs[0])
		}
		seen, why, _ := counting(t, s)
		if counts := strings.Contains(c.why, "counts by"); seen[1] != counts || !strings.Contains(why[1], c.why) {
			t.Errorf("%s: counts is %v: %q", name, seen[1], why[1])
		}
	}
}

// What runs by a budget is charged to it, hour by hour, and comes back after a week, be the memo handed
// on or stored. What is set aside for it is not given to another.
func TestBudgetsAreSpent(t *testing.T) {
	for _, isStored := range []bool{false, true} {
		s := cluster(job(1, "a", 8, runs), job(2, "a", 8, due(90*time.Minute)), job(3, "b", 16, noDeadline))
		s.DeadlineBudgets = []policy.DeadlineBudget{{Account: "a", Weekly: 10 * 3600}}
		seen, why, memo := counting(t, s)
		if !seen[1] || seen[2] || !strings.Contains(why[1], "4.00 GPU-h are set aside") || !strings.Contains(why[2], "6.00 GPU-h are left") {
			t.Fatalf("%v %v", seen, why)
		}
		next := func(at time.Duration, jobs ...policy.Job) {
			if s.Memo = memo; isStored {
				raw, err := json.Marshal(memo)
				if err != nil {
					t.Fatal(err)
				}
				s.Memo = policy.MemoFromJSON(raw)
			}
			s.Now, s.Jobs = now.Add(at), jobs
			seen, why, memo = counting(t, s)
		}
		next(15*time.Minute, s.Jobs...)
		if !seen[1] || !strings.Contains(why[1], "2.00 GPU-h are set aside") || !strings.Contains(why[2], "6.00 GPU-h are left") {
			t.Errorf("after a quarter of an hour: %v", why)
		}
		next(20*time.Minute, s.Jobs[1:]...) // it was done somewhen in between
		if seen[2] || !strings.Contains(why[2], "7.33 GPU-h are left") {
			t.Errorf("after its end: %v", why)
		}
		next(7*24*time.Hour, s.Jobs...)
		if !seen[2] {
			t.Errorf("after a week: %v", why)
		}
	}
}

// A memo of before there was a budget is the policy's, and one with a ledger that cannot be is an error.
func TestMemos(t *testing.T) {
	s := cluster(job(1, "a", 1))
	s.DeadlineBudgets = []policy.DeadlineBudget{{Account: "a", Weekly: 3600}}
	own := func(m policy.Memo) (got string) {
		s.Memo = m
		plan, err := Rule{}.Decide(s, func(s *policy.Snapshot) (*policy.Plan, error) {
			got, _ = policy.Recall[string](s.Memo)
			return &policy.Plan{Decisions: make([]policy.Decision, 1), Memo: policy.Remember(got + "!")}, nil
		})
		if err != nil {
			return err.Error()
		}
		s.Memo = plan.Memo
		return got
	}
	if got := own(policy.MemoFromJSON([]byte(`"old"`))); got != "old" {
		t.Errorf("%q", got)
	}
	if got := own(s.Memo); got != "old!" {
		t.Errorf("%q", got)
	}
	s.DeadlineBudgets = nil
	if got := own(s.Memo); got != "old!!" {
		t.Errorf("%q once there are no budgets", got)
	}
	if got := own(policy.MemoFromJSON([]byte(`{"deadline_budgets":{"spent":[{"service":-1}]}}`))); !strings.Contains(got, "reading what was spent") {
		t.Errorf("%q", got)
	}
}

// Whatever the snapshot, deadlines move an account that is not alone no further than its due, but by
// budgets, and of those no more is set aside than there is.
func TestNoDeadlineMovesAJobBeyondTheShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := policytest.GenerateSnapshots().Draw(t, "snapshot")
		for i := range s.Jobs {
			if rapid.Bool().Draw(t, "deadline") {
				s.Jobs[i].Deadline = now.Add(time.Duration(rapid.IntRange(-60, 6000).Draw(t, "minutes")) * time.Minute)
			}
		}
		if rapid.Bool().Draw(t, "budget") {
			s.DeadlineBudgets = []policy.DeadlineBudget{{Account: "nlp", Weekly: policy.GPUSeconds(rapid.IntRange(0, 400).Draw(t, "hours") * 3600)}}
		}
		total, shares, reserved := 0., entitle(s), policy.GPUSeconds(0)
		counted := map[string]float64{}
		for _, v := range judge(s, nil) {
			j := &s.Jobs[v.index]
			switch e := shares[j.Account]; {
			case v.counts && v.budget != nil:
				most, _ := mostService(s, j)
				reserved += most
			case v.counts && !e.isAll:
				counted[j.Account] += wholeGPUs(j)
				if most := counted[j.Account]; most > e.due+tolerance || !j.HoldsGPUs() && most+e.fixed > e.due+tolerance {
					t.Fatalf("job %d: account %s is due %v, and has %v by deadlines and %v without", j.ID, j.Account, e.due, most, e.fixed)
				}
			}
		}
		for _, e := range shares {
			total += e.due
		}
		if total > s.WholeGPUs()+tolerance || len(s.DeadlineBudgets) > 0 && reserved > s.DeadlineBudgets[0].Weekly {
			t.Fatalf("accounts are due %v of %v GPUs, and %v are set aside", total, s.WholeGPUs(), reserved)
		}
	})
}
