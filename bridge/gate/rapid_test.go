package gate_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// rarely is true in at most one of n draws. Small numbers are drawn more often
// than others, so it is one from the upper middle.
func rarely(t *rapid.T, n int, what string) bool {
	return rapid.IntRange(1, n).Draw(t, what) == n*2/3+1
}

func pick[T any](t *rapid.T, what string, of ...T) T { return rapid.SampledFrom(of).Draw(t, what) }

// spoilt draws a world in which things are wrong here and there, so that most
// edits could pass and every rule is met.
func spoilt(t *rapid.T) gate.CommonInput {
	s := world()
	for i := int64(21); i <= 24; i++ {
		waits(&s, i)
	}
	c := &s.Budgets
	c.StopFloor, c.StopFloor1h = rapid.IntRange(0, 3).Draw(t, "floor"), rapid.IntRange(0, 3).Draw(t, "floor1h")
	c.StopPercent, c.StopPercent1h = pick(t, "percent", 1.0, 50, 100), pick(t, "percent1h", 2.0, 60, 100)
	c.SmallClusterGPUs, c.SmallStopPercent = pick(t, "small", 0.0, 800), pick(t, "small percent", 25.0, 50, 100)
	c.UserStops1h, c.JobStops4h = rapid.IntRange(0, 2).Draw(t, "user"), rapid.IntRange(0, 2).Draw(t, "job4h")
	c.EditFloor, c.EditRate = rapid.IntRange(1, 12).Draw(t, "mutations"), pick(t, "rate", 0.1, 5)
	c.IAcceptOrphanHolds = rarely(t, 4, "orphans")
	if rarely(t, 20, "short leadership") {
		s.LeadershipLeft = time.Duration(rapid.IntRange(9, 14).Draw(t, "leadership")) * time.Second
	}
	if rarely(t, 20, "odd age") {
		s.Now = noon.Add(time.Duration(rapid.IntRange(-1, 16).Draw(t, "age")) * time.Second)
	}
	for i := range s.View.Nodes {
		if rarely(t, 8, "sick node") {
			s.View.Nodes[i].State = "DOWN"
		}
	}
	for i := range s.View.Jobs {
		spoilJob(t, &s, &s.View.Jobs[i], &s.Snapshot.Jobs[i])
	}
	if rapid.Bool().Draw(t, "has a service") {
		makeReplicas(&s, pick(t, "least", 1, 2, 4, 5, 6), pick(t, "rates", nil, []float64{3}), 1, 3, 11, 12, 14, 21)
	}
	for range rapid.IntRange(0, 2).Draw(t, "stops") {
		s.RecentStops = append(s.RecentStops, bridge.Stop{
			Job: pick(t, "stopped", int64(1), 11, 12),
			StopCost: bridge.StopCost{
				Beneficiary: pick(t, "for", int64(1), 11, 12), User: pick(t, "stopped user", "u11", "u12", "x"), GPUs: 8,
			},
			DecidedAt: noon.Add(-time.Duration(rapid.IntRange(0, 300).Draw(t, "ago")) * time.Minute),
		})
	}
	return s
}

// spoilJob changes at most one thing of one job in three.
func spoilJob(t *rapid.T, s *gate.CommonInput, j *slurm.Job, p *policy.Job) {
	ago := func(m int) time.Time { return noon.Add(-time.Duration(m) * time.Minute) }
	switch 45 - rapid.IntRange(0, 45).Draw(t, "spoil") { // mostly none of these
	case 1:
		j.IsHeld = true
	case 2:
		j.Priority = 0
	case 3:
		j.UntrustedReason = "x"
	case 4:
		j.HetJobID = 5
	case 5:
		j.FederationOrigin = "f"
	case 6:
		j.Cron = "c"
	case 7:
		j.Reservation = "r"
	case 8:
		j.IsBatch = false
	case 9:
		j.User = "root"
	case 10:
		j.Partitions = pick(t, "partitions", []string{"cpu"}, []string{"gpu", "cpu"}, []string{"cpu", "gpu"})
	case 11:
		p.Arrive = ago(74 * 60)
	case 12:
		j.Requeue = false
	case 13:
		j.Start = ago(rapid.IntRange(0, 40).Draw(t, "ran"))
	case 14:
		s.RequeueTimesByJob[j.ID] = []time.Time{ago(rapid.IntRange(0, 300).Draw(t, "stopped"))}
	case 15:
		s.LeasedTimeByJob[j.ID] = time.Duration(rapid.IntRange(22*60, 25*60).Draw(t, "leased")) * time.Minute
	case 16:
		j.RequiredNodes = slurm.ReadHosts(pick(t, "required", "n1", "n2"))
	case 17:
		j.ExcludedNodes = slurm.ReadHosts(pick(t, "excluded", "n1", "n2,n3"))
	case 18:
		j.IsNiceKnown = false
	case 19:
		p.Tasks, j.ArrayJobID = rapid.IntRange(1, 20).Draw(t, "tasks"), j.ID
	case 20:
		j.EligibleTime = ago(rapid.IntRange(-20, 5).Draw(t, "eligible"))
	case 21:
		p.UnstoppableReason = "no"
	case 22:
		j.State = pick(t, "state", "SUSPENDED", "COMPLETED", "RUNNING", "PENDING")
	case 23:
		j.NodeCount = 2
	}
}

// kinds are weighted towards those with more rules.
var kinds = []slurm.EditKind{
	slurm.EditSiteFactor, slurm.EditSiteFactor, slurm.EditNice, slurm.EditPriority, slurm.EditLease, slurm.EditLease, slurm.EditUnlease,
	slurm.EditRequireNodes, slurm.EditExcludeNodes, slurm.EditRequeue, slurm.EditRequeue, slurm.EditHardHold, slurm.EditHandBackPriority, slurm.EditSetGPUs, "release",
}

// anEdit draws an edit of a job, sensible more often than not.
func anEdit(t *rapid.T, s *gate.CommonInput) slurm.Edit {
	j := s.View.Jobs[rapid.IntRange(0, len(s.View.Jobs)-1).Draw(t, "job")]
	e := slurm.Edit{Run: j.CurrentRun(), Kind: pick(t, "kind", kinds...), Tasks: 1, Why: "w"}
	switch e.Kind {
	case slurm.EditLease, slurm.EditUnlease:
		e.Until = noon.Add(time.Duration(rapid.IntRange(-2, 61).Draw(t, "until")) * time.Minute)
	case slurm.EditRequireNodes, slurm.EditExcludeNodes:
		e.Nodes = pick(t, "nodes", nil, []string{"n1"}, []string{"n2"}, []string{"n1", "n2"}, []string{"n1", "n3"}, []string{"n9"}, []string{"n2", "n3"})
	case slurm.EditSiteFactor, slurm.EditNice, slurm.EditPriority, slurm.EditSetGPUs:
		e.Value = pick(t, "value", int64(0), 7, 999, 1000, 2000, -4500, 6000, 4_000_000_001, 0xfffffffe, 0x80000000)
	}
	if rarely(t, 40, "odd") {
		e.Run.Restarts++
	}
	if rarely(t, 40, "odd field") {
		e.Array = "1_1"
	}
	return e
}

// aBook draws the ledger; where a value of ours was observed, the job mostly
// shows it.
func aBook(t *rapid.T, s *gate.CommonInput) []bridge.Intent {
	var is []bridge.Intent
	for id := range rapid.IntRange(0, 6).Draw(t, "intents") {
		e := anEdit(t, s)
		if e.Kind == "release" || e.Kind == slurm.EditUnlease || e.Kind == slurm.EditHandBackPriority || e.Run != s.View.Job(e.Run.Job).CurrentRun() {
			continue
		}
		i := bridge.Intent{ID: int64(id + 1), Edit: e, NotAfter: e.Until, Before: bridge.JobBefore{Begin: noon.Add(-time.Hour), Nice: 7}}
		i.State = pick(t, "state", bridge.IntentObserved, bridge.IntentObserved, bridge.IntentObserved, bridge.IntentSent, bridge.IntentUnknown, bridge.IntentYielded, bridge.IntentExpired)
		if j := s.View.Job(e.Run.Job); i.State == bridge.IntentObserved && !rarely(t, 4, "changed") {
			show(j, e)
		}
		is = append(is, i)
	}
	return is
}

func show(j *slurm.Job, e slurm.Edit) {
	switch e.Kind {
	case slurm.EditLease:
		j.EligibleTime = e.Until
	case slurm.EditNice:
		j.Nice = e.Value
	case slurm.EditPriority:
		j.Priority = e.Value
	case slurm.EditRequireNodes:
		list := ""
		for _, n := range e.Nodes {
			list += n + ","
		}
		j.RequiredNodes = slurm.ReadHosts(list)
	}
}

func anInput(t *rapid.T) (gate.EditInput, []bridge.Intent) {
	s := spoilt(t)
	intents := aBook(t, &s)
	in := gate.EditInput{CommonInput: s, Mode: pick(t, "mode", bridge.ModeRank, bridge.ModeSteer, bridge.ModePreempt, bridge.ModePreempt, bridge.ModePreempt, bridge.ModeObserve), IntentBook: ledger.NewIntentBook(intents)}
	for i := int64(11); i <= 14; i++ {
		if !rarely(t, 5, "not allowed") {
			in.AllowedStops = append(in.AllowedStops, bridge.Stop{Job: i, DecidedAt: noon, StopCost: bridge.StopCost{User: viewJob(&s, i).User, GPUs: 8, Beneficiary: i - 10}})
		}
		if rarely(t, 10, "requeued") {
			in.RequeuedRuns = append(in.RequeuedRuns, viewJob(&s, i).CurrentRun())
		}
	}
	in.LastSentByField = map[slurm.JobField]time.Time{{Job: 1, Field: slurm.FieldSiteFactor}: noon.Add(-time.Second)}
	in.EditsSpentElsewhere = rapid.IntRange(0, 3).Draw(t, "written")
	for range rapid.IntRange(0, 25).Draw(t, "edits") {
		in.Edits = append(in.Edits, anEdit(t, &s))
	}
	return in, intents
}

func soundEdits(t *rapid.T) {
	in, intents := anInput(t)
	accepted, refused := gate.FilterEdits(in)
	if err := judge(in, intents, accepted); err != nil {
		t.Fatal(err)
	}
	if err := numbersEachFirst(in, intents, accepted, refused); err != nil {
		t.Fatal(err)
	}
	if len(accepted)+len(refused) != len(in.Edits) {
		t.Fatalf("%d edits became %d accepted and %d refused", len(in.Edits), len(accepted), len(refused))
	}
	for _, r := range refused {
		if r.Invariant.Text() == "" || r.Why == "" {
			t.Fatalf("refusal %+v names no invariant or reason", r)
		}
	}
}

func TestEditsNeverBreakAnInvariant(t *testing.T) { rapid.Check(t, soundEdits) }

func FuzzEdits(f *testing.F) { f.Fuzz(rapid.MakeFuzz(soundEdits)) }

// The order of the edits, and asking twice, are of no consequence.
func TestEditsAreDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := anInput(t)
		a, ar := gate.FilterEdits(in)
		in.Edits = rapid.Permutation(in.Edits).Draw(t, "shuffled")
		b, br := gate.FilterEdits(in)
		if diff := cmp.Diff(a, b) + cmp.Diff(ar, br); diff != "" {
			t.Fatal(diff)
		}
	})
}

// With budgets to spare, a weaker mode's edits are some of a stronger one's.
func TestEditsGrowWithTheMode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := anInput(t)
		in.Snapshot.InferenceServices = nil // where a replica is stopped another is not leased, too
		in.Budgets.MaxEdits, in.Budgets.EditFloor, in.Budgets.EditRate = 1e6, 1e6, 1e6
		var weaker []slurm.Edit
		for _, in.Mode = range bridge.Modes {
			edits, _ := gate.FilterEdits(in)
			for _, e := range weaker {
				found := false
				for _, o := range edits {
					found = found || cmp.Equal(e, o)
				}
				if !found {
					t.Fatalf("%v is let through in a weaker mode than %s", e, in.Mode)
				}
			}
			if weaker = edits; !in.Mode.Allows(bridge.ModeRank) && len(edits) > 0 {
				t.Fatalf("mode %s sends %v", in.Mode, edits)
			}
		}
	})
}
