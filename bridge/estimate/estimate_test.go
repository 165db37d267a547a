package estimate_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/bridge/estimate"
	"fairbridge/policy"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func node(name string) policy.Node {
	return policy.Node{Name: name, Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1000, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}
}

// running is a job that holds GPUs of a node, with what is predicted of its rest.
func running(id policy.JobID, node string, gpus int, left, sigma, limitLeft time.Duration) policy.Job {
	return policy.Job{
		ID: id, User: "a", Account: "a", Partition: "gpu", State: policy.Running, Start: noon.Add(-time.Hour), Limit: time.Hour + limitLeft, PredictedLeft: left, PredictedSigma: sigma,
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: gpus}, CPUs: gpus}, On: policy.Alloc{{Node: node, Type: "a100", Count: gpus}},
	}
}

func waiting(id policy.JobID, gpus int, left, limit time.Duration) policy.Job {
	return policy.Job{
		ID: id, User: "b", Account: "b", Partition: "gpu", State: policy.Pending, Limit: limit, PredictedLeft: left, PredictedSigma: left / 20,
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: gpus}, CPUs: gpus, MinNodes: 1, MaxNodes: 1},
	}
}

func estimateAll(s *policy.Snapshot, line ...policy.JobID) map[policy.JobID]estimate.Estimate {
	out := map[policy.JobID]estimate.Estimate{}
	for _, e := range estimate.EstimateJobs(estimate.Input{Snapshot: s, Line: line}) {
		out[e.Job] = e
	}
	return out
}

func scene(jobs ...policy.Job) *policy.Snapshot {
	return &policy.Snapshot{Now: noon, Nodes: []policy.Node{node("n1")}, Jobs: jobs}
}

// near checks a moment after noon, within a twentieth and a little.
func near(t *testing.T, what string, got time.Time, want time.Duration) {
	t.Helper()
	if d := got.Sub(noon); (d - want).Abs() > want/10+30*time.Second {
		t.Errorf("%s: in %v, want about %v", what, d, want)
	}
}

func TestStartsFollowPredictionsNotLimits(t *testing.T) {
	got := estimateAll(scene(running(1, "n1", 8, time.Hour, 3*time.Minute, 20*time.Hour), waiting(2, 8, 2*time.Hour, 24*time.Hour), waiting(3, 8, time.Hour, 24*time.Hour)), 2, 3)
	near(t, "end of 1", got[1].End.Middle, time.Hour)
	near(t, "start of 2", got[2].Start.Middle, time.Hour)
	near(t, "start of 3", got[3].Start.Middle, 3*time.Hour)
	near(t, "end of 3", got[3].End.Middle, 4*time.Hour)
	if !got[1].Start.Middle.Equal(noon.Add(-time.Hour)) {
		t.Errorf("job 1 runs since %v", got[1].Start)
	}
}

func TestTheLineDecides(t *testing.T) {
	s := scene(running(1, "n1", 8, time.Hour, 3*time.Minute, 20*time.Hour), waiting(2, 8, 2*time.Hour, 24*time.Hour), waiting(3, 8, time.Hour, 24*time.Hour))
	got := estimateAll(s, 3, 2)
	near(t, "start of 3", got[3].Start.Middle, time.Hour)
	near(t, "start of 2", got[2].Start.Middle, 2*time.Hour)
}

func TestWhatIsUncertainIsWide(t *testing.T) {
	sure := estimateAll(scene(running(1, "n1", 8, time.Hour, time.Minute, 200*time.Hour), waiting(2, 8, time.Hour, 2*time.Hour)), 2)[2].Start
	unsure := estimateAll(scene(running(1, "n1", 8, time.Hour, 3*time.Hour, 200*time.Hour), waiting(2, 8, time.Hour, 2*time.Hour)), 2)[2].Start
	if w, v := sure.Late.Sub(sure.Early), unsure.Late.Sub(unsure.Early); w > v/5 || w <= 0 {
		t.Errorf("%v wide where it is sure, %v where not", w, v)
	}
	for _, b := range []estimate.Band{sure, unsure} {
		if b.Early.After(b.Middle) || b.Middle.After(b.Late) {
			t.Errorf("out of order: %+v", b)
		}
	}
}

func TestNoRunOutlastsItsLimit(t *testing.T) {
	got := estimateAll(scene(running(1, "n1", 8, 5*time.Hour, 50*time.Hour, 2*time.Hour), waiting(2, 8, 5*time.Hour, time.Hour)), 2)
	if late := got[2].Start.Late; late.After(noon.Add(2*time.Hour + 5*time.Minute)) {
		t.Errorf("starts by %v at the latest, though job 1 ends at its limit in 2h", late.Sub(noon))
	}
	if b := got[2]; b.End.Late.Sub(b.Start.Late) > time.Hour+time.Minute {
		t.Errorf("%+v: longer than its limit", b)
	}
}

// Users ask for several times what they need: of a job of which only the limit is known, the limit
// is the latest end and not the likeliest.
func TestALimitAloneIsNotBelieved(t *testing.T) {
	s := scene(running(1, "n1", 8, 0, 0, 10*time.Hour), waiting(2, 8, time.Hour, 2*time.Hour))
	s.Jobs[0].Start = noon
	s.Jobs[0].Limit = 10 * time.Hour
	near(t, "start", estimateAll(s, 2)[2].Start.Middle, 3*time.Hour)
	s.Users = []policy.User{{Name: "a", Account: "a", TypicalLimitUse: policy.KnownValue(.8)}}
	near(t, "start once it is known how much of limits the user takes", estimateAll(s, 2)[2].Start.Middle, 8*time.Hour)
}

// As Slurm's backfill: past a job that waits for a whole node goes only what ends, by its limit,
// before the place kept for it.
func TestBackfillGoesByLimits(t *testing.T) {
	s := scene(running(1, "n1", 6, time.Hour, 3*time.Minute, 2*time.Hour), waiting(2, 8, time.Hour, 4*time.Hour), waiting(3, 2, 30*time.Minute, 90*time.Minute), waiting(4, 2, 30*time.Minute, 3*time.Hour))
	got := estimateAll(s, 2, 3, 4)
	near(t, "a limit that keeps out of the way", got[3].Start.Middle, 0)
	near(t, "the one that is ahead", got[2].Start.Middle, time.Hour)
	near(t, "a limit that does not", got[4].Start.Middle, 2*time.Hour)
}

func TestGangsNeedTheirNodesTogether(t *testing.T) {
	s := scene(running(1, "n1", 4, time.Hour, 3*time.Minute, 9*time.Hour), running(2, "n2", 4, 3*time.Hour, 9*time.Minute, 9*time.Hour), waiting(3, 16, time.Hour, 2*time.Hour))
	s.Nodes = append(s.Nodes, node("n2"))
	s.Jobs[2].Ask.MinNodes, s.Jobs[2].Ask.MaxNodes, s.Jobs[2].Ask.PerNode = 2, 2, 8
	near(t, "start of the gang", estimateAll(s, 3)[3].Start.Middle, 3*time.Hour)
}

func TestAnArrayStartsTaskByTask(t *testing.T) {
	s := scene(running(1, "n1", 4, 2*time.Hour, 6*time.Minute, 9*time.Hour), waiting(2, 4, time.Hour, 90*time.Minute), waiting(3, 8, time.Hour, 2*time.Hour))
	s.Jobs[1].Tasks = 3
	got := estimateAll(s, 2, 3)
	near(t, "the first task", got[2].Start.Middle, 0)
	near(t, "what comes after the last", got[3].Start.Middle, 3*time.Hour)
}

func TestWhatIsKeptBackHasNoEstimate(t *testing.T) {
	held, later := waiting(1, 8, time.Hour, 2*time.Hour), waiting(2, 8, time.Hour, 2*time.Hour)
	held.HeldReason, later.EligibleAt = "its user holds it", noon.Add(5*time.Hour)
	got := estimateAll(scene(held, later), 1, 2)
	if _, ok := got[1]; ok {
		t.Error("a held job has an estimate")
	}
	near(t, "what may not start before", got[2].Start.Middle, 5*time.Hour)
}

func TestSetAsideNodesAreWaitedFor(t *testing.T) {
	s := scene(waiting(1, 8, time.Hour, 2*time.Hour))
	s.Nodes[0].Windows = []policy.Window{{From: noon.Add(time.Hour), To: noon.Add(3 * time.Hour), Name: "m1", IsMaintenance: true}}
	near(t, "a limit into the maintenance", estimateAll(s, 1)[1].Start.Middle, 3*time.Hour)
}

func TestEqualInputsGiveEqualEstimates(t *testing.T) {
	s, line := busyCluster(60, 20)
	in := estimate.Input{Snapshot: s, Line: line}
	a, b := estimate.EstimateJobs(in), estimate.EstimateJobs(in)
	if !slices.Equal(a, b) {
		t.Error("two estimates of the same differ")
	}
	if !slices.IsSortedFunc(a, func(x, y estimate.Estimate) int { return int(x.Job - y.Job) }) || len(a) != len(s.Jobs) {
		t.Errorf("%d estimates of %d jobs, or out of order", len(a), len(s.Jobs))
	}
	in.MaxWaiting = 10
	if got := estimate.EstimateJobs(in); len(got) != len(a)-len(line)+10 {
		t.Errorf("%d estimates, with ten of the line alone", len(got))
	}
}

// One job alone has the estimate that it has among all, whatever shape it has, an array with tasks that
// may not start yet as well.
func TestOneAloneIsEstimatedAsAmongAll(t *testing.T) {
	s, line := busyCluster(60, 10)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.State == policy.Pending && j.ID%7 == 0 {
			j.Tasks, j.EligibleAt = 3, noon.Add(time.Duration(j.ID%5)*time.Hour)
		}
	}
	for _, want := range estimate.EstimateJobs(estimate.Input{Snapshot: s, Line: line}) {
		got := estimate.EstimateJobs(estimate.Input{Snapshot: s, Line: line, Only: want.Job})
		if len(got) != 1 || got[0] != want {
			t.Errorf("job %d alone: %+v, want %+v", want.Job, got, want)
		}
	}
	if got := estimate.EstimateJobs(estimate.Input{Snapshot: s, Line: line, Only: 5}); len(got) != 1 || s.Job(5).State != policy.Running {
		t.Errorf("one that runs: %+v", got)
	}
	if got := estimate.EstimateJobs(estimate.Input{Snapshot: s, Line: line, Only: 99_999}); got != nil {
		t.Errorf("one that is not there: %+v", got)
	}
}

// busyCluster has full nodes and a line of jobs of many shapes.
func busyCluster(waitingCount, nodeCount int) (*policy.Snapshot, []policy.JobID) {
	s, line := &policy.Snapshot{Now: noon}, []policy.JobID(nil)
	for i := range nodeCount {
		name := "n" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		s.Nodes = append(s.Nodes, node(name))
		for k := range 2 {
			left := time.Duration(1+(7*i+3*k)%40) * 20 * time.Minute
			s.Jobs = append(s.Jobs, running(policy.JobID(1+2*i+k), name, 4, left, left, 3*left))
		}
	}
	for i := range waitingCount {
		left := time.Duration(1+(11*i)%60) * 10 * time.Minute
		j := waiting(policy.JobID(10_000+i), []int{1, 1, 2, 4, 8, 1, 2, 8}[i%8], left, time.Duration(1+i%12)*2*left)
		s.Jobs, line = append(s.Jobs, j), append(line, j.ID)
	}
	return s, line
}

func BenchmarkThousandJobs(b *testing.B) {
	s, line := busyCluster(1000, 100)
	for b.Loop() {
		estimate.EstimateJobs(estimate.Input{Snapshot: s, Line: line})
	}
}
