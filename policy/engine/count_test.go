package engine_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/preempt"
)

func fixed(j *policy.Job) { j.UnstoppableReason = "owner" }

// TestStopsNoMoreThanItTakes: with the two GPUs that are free, the eight of job 1 are
// enough for ten. The two of job 2, which is asked first, are not needed, although a
// place on them would be as good.
func TestStopsNoMoreThanItTakes(t *testing.T) {
	s := with(with(cluster(4), 8, running("n2", time.Hour, 0)), 2, running("n1", time.Hour, 0))
	with(with(with(s, 6, running("n1", time.Hour, 0), fixed), 6, running("n4", time.Hour, 0), fixed), 8, running("n3", time.Hour, 0), fixed)
	with(s, 10, qos("urgent"))
	_, got := decide(t, engine.Pipeline{Preempt: preempt.ByQOS("urgent")}, s)
	if want := "1 stop; 2 keep n1:2×a100; 3 keep n1:6×a100; 4 keep n4:6×a100; 5 keep n3:8×a100; 6 start n2:8×a100,n4:2×a100"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSparesNoJobForASlowerType: jobs 2 and 4, on v100, would be enough. But where all of
// those found are stopped the gang has a100, and jobs are spared that it has them without.
func TestSparesNoJobForASlowerType(t *testing.T) {
	s := cluster(1)
	s.Nodes = append(s.Nodes, policy.Node{Name: "n2", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "v100", Count: 8}}})
	for i, node := range []string{"n1", "n2", "n1", "n2"} {
		with(s, 4, running(node, time.Hour, 0))
		if node == "n2" {
			s.Jobs[i].On[0].Type, s.Jobs[i].Ask.GPUs.Type = "v100", "v100"
		}
	}
	with(s, 8, qos("urgent"), func(j *policy.Job) { j.Ask.GPUs.Type, j.Ask.MaxNodes = "", 1 })
	_, got := decide(t, engine.Pipeline{Preempt: preempt.ByQOS("urgent")}, s)
	if want := "1 stop; 2 keep n2:4×v100; 3 stop; 4 keep n2:4×v100; 5 start n1:8×a100"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestOnlyWhatStartsIsLeftOverNoMore: job 3 is to have six of the eight GPUs of n1 in an
// hour, job 4 of another partition all of n1 and n2 in five. Job 5 would delay job 4, and
// so takes nothing of the two that job 3 leaves over: job 6, which is done in three, may
// have them.
func TestOnlyWhatStartsIsLeftOverNoMore(t *testing.T) {
	s := with(with(cluster(2), 4, running("n1", time.Hour, 2*time.Hour)), 8, running("n2", time.Hour, 6*time.Hour))
	s.Nodes[0].Partitions, s.Nodes[1].Partitions = []string{"p", "q"}, []string{"q"}
	with(with(s, 6), 16, func(j *policy.Job) { j.Partition = "q" })
	with(with(s, 2, limit(9*time.Hour)), 2, limit(3*time.Hour))
	_, got := decide(t, engine.Pipeline{Backfill: backfill.EASY{}}, s)
	if want := "1 keep n1:4×a100; 2 keep n2:8×a100; 3 wait; 4 wait; 5 hold; 6 start n1:2×a100"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestTakesThePlaceOfWhatWouldStillRun: job 3 waits for job 1 and n1. That job 4 takes the
// place of job 2, which would run for longer, does not delay it.
func TestTakesThePlaceOfWhatWouldStillRun(t *testing.T) {
	s := with(with(cluster(2), 4, running("n1", time.Hour, 2*time.Hour), fixed), 8, running("n2", time.Hour, 90*time.Hour))
	with(with(s, 8), 8, qos("urgent"), limit(9*time.Hour))
	_, got := decide(t, engine.Pipeline{Backfill: backfill.EASY{}, Preempt: preempt.ByQOS("urgent")}, s)
	if want := "1 keep n1:4×a100; 2 stop; 3 wait; 4 start n2:8×a100"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
