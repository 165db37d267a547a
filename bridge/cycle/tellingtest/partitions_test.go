package tellingtest

import (
	"testing"
	"time"

	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
)

// twoPartitions is a site with a second managed partition on the same node, where four jobs wait that
// may start in either.
func twoPartitions(t *testing.T) (s *tellingSite, ids []int64) {
	t.Helper()
	w, err := sim.New(sim.Config{
		ClusterName: "lab", Nodes: sim.UniformNodes(1, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}, {Name: "big"}}, Release: "24.11.5",
		BackfillInterval: -1, FullPassInterval: 30 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	s = newTellingSite(t, "")
	s.w, s.wire.World, s.db = w, w, memstore.New(w.Now, nil, 0)
	big := s.conf.Partitions[0]
	big.Name = "big"
	s.conf.Partitions = append(s.conf.Partitions, big)
	s.restart()
	s.submit("hog", 8)
	w.Advance(w.Now().Add(time.Minute))
	for k := range 4 {
		id, err := w.Submit(sim.JobSpec{User: "u", Partition: "gpu,big", GPUs: 8, Nice: int64(900 * (4 - k)), TimeLimit: 2 * time.Hour, WorkTime: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		w.Advance(w.Now().Add(time.Second))
	}
	return s, ids
}

// TestOnePartitionGivesBack: what both partitions' plans would take from a job, numbers and texts, one of
// them does. When both did, the ledger refused the second and nothing was sent any more.
func TestOnePartitionGivesBack(t *testing.T) {
	s, ids := twoPartitions(t)
	s.cycles(5)
	if n, orders := s.tellings(); n != len(ids) || orders == 0 {
		t.Fatalf("%d texts and %d numbers were sent", n, orders)
	}
	s.conf.Order.Window = 1
	s.restart()
	for range 12 {
		if last := s.cycles(1); len(last.Doubts) > 0 {
			t.Fatal(last.Doubts)
		}
	}
	for _, id := range ids[1:] {
		s.wants(id, "")
	}
}
