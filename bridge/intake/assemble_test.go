package intake

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// world is a small cluster: three nodes in partition gpu, the last of them in
// partition debug too.
func world(t *testing.T, submit ...sim.JobSpec) *sim.World {
	t.Helper()
	w, err := sim.New(sim.Config{
		ClusterName: "lab", Nodes: sim.UniformNodes(3, "a100", 8),
		Partitions: []sim.Partition{{Name: "gpu"}, {Name: "debug", Nodes: []string{"n3"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range submit {
		if _, err := w.Submit(s); err != nil {
			t.Fatalf("submitting %+v: %v", s, err)
		}
	}
	return w
}

func view(t *testing.T, w *sim.World) *slurm.View {
	t.Helper()
	v, err := sim.DirectCluster{World: w}.Observe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func preempting(name string) bridge.Partition {
	return bridge.Partition{Name: name, Mode: bridge.ModePreempt}
}

func TestAssemble(t *testing.T) {
	hour := time.Hour
	w := world(t,
		sim.JobSpec{User: "alice", Account: "vision", Partition: "gpu", GPUsPerNode: 8, GPUType: "a100", CPUsPerNode: 16, TimeLimit: hour, WorkTime: hour, Comment: "fairbridge:preemptible,ckpt=2m"},
		sim.JobSpec{User: "bob", Account: "lang", Partition: "debug", GPUs: 3, TimeLimit: hour, WorkTime: hour},
		sim.JobSpec{User: "carol", Account: "lang", Partition: "gpu", CPUsPerNode: 4, TimeLimit: hour, WorkTime: hour}, // no GPU
	)
	w.Advance(w.Now().Add(2 * time.Minute))
	for _, s := range []sim.JobSpec{
		{User: "alice", Account: "vision", Partition: "gpu", GPUsPerNode: 8, MinNodes: 3, TimeLimit: hour, WorkTime: hour},
		{User: "bob", Account: "lang", Partition: "gpu", GPUsPerNode: 1, GPUType: "a100", ArraySize: 10, ArrayMaxRunning: 2, TimeLimit: hour, Hold: true, WorkTime: hour},
		{User: "carol", Account: "lang", Partition: "debug", GPUs: 1, BeginTime: w.Now().Add(hour), WorkTime: hour},
	} {
		if _, err := w.Submit(s); err != nil {
			t.Fatal(err)
		}
	}
	s := AssembleSnapshot(Input{View: view(t, w), CycleSeq: 4, OptIn: bridge.OptIn{Comment: true}}, preempting("gpu"))

	var ids []policy.JobID
	for _, j := range s.Jobs {
		ids = append(ids, j.ID)
	}
	if diff := cmp.Diff([]policy.JobID{1, 2, 4, 5}, ids); diff != "" {
		t.Fatalf("jobs of the partition and those on its nodes (-want +got): %s", diff)
	}
	big, other, gang, array := s.Job(1), s.Job(2), s.Job(4), s.Job(5)
	if big.UnstoppableReason != "" || big.CheckpointCost != 2*time.Minute || big.On.Count() != 8 || big.Attained < 8*60 {
		t.Errorf("the opted-in running job: %+v", big)
	}
	if !strings.Contains(other.UnstoppableReason, "partition debug") || other.On.String() != "n3:3×a100" {
		t.Errorf("a job of another partition on our node: fixed %q on %v", other.UnstoppableReason, other.On)
	}
	want := policy.Ask{GPUs: policy.GPUs{Count: 24}, MinNodes: 3, PerNode: 8, CPUs: 3}
	got := gang.Ask
	got.MemMB, got.MaxNodes = 0, 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a gang's ask (-want +got): %s", diff)
	}
	if array.Tasks != 10 || array.Ask.GPUs.Type != "a100" || array.Ask.GPUs.Count != 1 || array.HeldReason != "held by its owner" {
		t.Errorf("a held array: %d tasks of %v, held %q", array.Tasks, array.Ask.GPUs, array.HeldReason)
	}
	if n := s.Node("n1"); n.CPUs != 64 && n.CPUs != 60 {
		t.Errorf("cores left for GPU jobs on n1: %d", n.CPUs)
	}
	if s.Account("vision") == nil || s.Account("lang") == nil {
		t.Errorf("accounts: %+v", s.Accounts)
	}
}

func TestAResizedJobIsNotStoppedWhereItsRecordWouldBeWrong(t *testing.T) {
	for release, isStoppable := range map[string]bool{"22.05.8": false, "23.11.4": false, "24.11.5": true, "26.05.5": true} {
		w := world(t, sim.JobSpec{Comment: "fairbridge:preemptible", GPUs: 1, WorkTime: time.Hour, TimeLimit: time.Hour})
		w.Advance(w.Now().Add(2 * time.Minute))
		v := view(t, w)
		v.Release = release
		for _, isResized := range []bool{false, true} {
			if isResized {
				v.Jobs[0].ResizeTime = v.Jobs[0].Start
			}
			s := AssembleSnapshot(Input{View: v, OptIn: bridge.OptIn{Comment: true}}, bridge.Partition{Name: "gpu", Mode: bridge.ModePreempt})
			if got := s.Job(1).UnstoppableReason; (got == "") != (isStoppable || !isResized) {
				t.Errorf("%s, resized %v: fixed %q", release, isResized, got)
			}
		}
	}
}

// TestAJobThatSlurmPreemptsIsFixed: one whose run Slurm told to end; not one that it preempted in an earlier run.
func TestAJobThatSlurmPreemptsIsFixed(t *testing.T) {
	w := world(t, sim.JobSpec{Comment: "fairbridge:preemptible", GPUs: 1, WorkTime: time.Hour, TimeLimit: time.Hour})
	w.Advance(w.Now().Add(2 * time.Minute))
	for since, want := range map[time.Duration]string{time.Minute: "Slurm is preempting it", -time.Minute: ""} {
		v := view(t, w)
		v.Jobs[0].PreemptTime = v.Jobs[0].Start.Add(since)
		s := AssembleSnapshot(Input{View: v, OptIn: bridge.OptIn{Comment: true}}, preempting("gpu"))
		if got := s.Job(1).UnstoppableReason; got != want {
			t.Errorf("preempted %v after it started: fixed %q, want %q", since, got, want)
		}
	}
}

// TestHistoryOfAnEarlierJobOfTheID: Slurm gives ids again. What an earlier job of the id had is not this one's.
func TestHistoryOfAnEarlierJobOfTheID(t *testing.T) {
	for _, c := range []struct {
		name     string
		restarts int
		arrived  time.Duration // in history, after the record's time of submission
		isIts    bool
	}{
		{"its own", 0, 0, true},
		{"its own, requeued since", 1, -time.Hour, true},
		{"an earlier job", 0, -time.Hour, false},
		{"a later job", 0, time.Hour, false},
		{"a later job, of a requeued one", 1, time.Hour, false},
	} {
		v := view(t, world(t, sim.JobSpec{GPUs: 1, Hold: true, WorkTime: time.Hour, TimeLimit: time.Hour}))
		submit := v.Jobs[0].Submit
		v.Jobs[0].Restarts = c.restarts
		past := bridge.JobPast{Arrive: submit.Add(c.arrived), Attained: 3600}
		in := Input{View: v, Past: &bridge.Past{PastByJob: map[int64]bridge.JobPast{1: past}}}
		j := AssembleSnapshot(in, preempting("gpu")).Job(1)
		want := bridge.JobPast{Arrive: submit}
		if c.isIts {
			want = past
		}
		if !j.Arrive.Equal(want.Arrive) || j.Attained != want.Attained {
			t.Errorf("%s: arrived %v after its submission, attained %v", c.name, j.Arrive.Sub(submit), j.Attained)
		}
	}
}

func TestJobsAreFixedUnlessOptedIn(t *testing.T) {
	tests := []struct {
		spec  sim.JobSpec
		o     bridge.OptIn
		mode  bridge.Mode
		fixed string
	}{
		{sim.JobSpec{}, bridge.OptIn{Comment: true}, bridge.ModePreempt, "did not opt in"},
		{sim.JobSpec{Comment: "fairbridge:preemptible"}, bridge.OptIn{Comment: true}, bridge.ModePreempt, ""},
		{sim.JobSpec{Comment: "fairbridge:preemptible"}, bridge.OptIn{}, bridge.ModePreempt, "did not opt in"},
		{sim.JobSpec{QOS: "scavenge"}, bridge.OptIn{QOS: []string{"scavenge"}}, bridge.ModePreempt, ""},
		{sim.JobSpec{Account: "spare"}, bridge.OptIn{Accounts: []string{"spare"}}, bridge.ModePreempt, ""},
		{sim.JobSpec{}, bridge.OptIn{Partitions: []string{"gpu"}}, bridge.ModePreempt, ""},
		{sim.JobSpec{NoRequeue: true}, bridge.OptIn{Partitions: []string{"gpu"}}, bridge.ModePreempt, "cannot be requeued"},
		{sim.JobSpec{}, bridge.OptIn{Partitions: []string{"gpu"}}, bridge.ModeSteer, "not in preempt mode"},
	}
	for _, tt := range tests {
		tt.spec.GPUs, tt.spec.WorkTime, tt.spec.TimeLimit = 1, time.Hour, time.Hour
		w := world(t, tt.spec)
		w.Advance(w.Now().Add(2 * time.Minute))
		s := AssembleSnapshot(Input{View: view(t, w), OptIn: tt.o}, bridge.Partition{Name: "gpu", Mode: tt.mode})
		got := s.Job(1).UnstoppableReason
		if tt.fixed == "" && got != "" || !strings.Contains(got, tt.fixed) {
			t.Errorf("%+v with %+v in mode %s: fixed %q, want %q", tt.spec, tt.o, tt.mode, got, tt.fixed)
		}
	}
}
