package main

import (
	"fmt"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"fairbridge/replica/sim"
)

// recordPast records two days of the site's cluster in its database, as the daemon
// would have seen them: jobs of three users under Slurm alone, a few days ago. With
// "hostile" their texts are.
func (s *site) recordPast(ts *testscript.TestScript, args []string) {
	prefix := ""
	if len(args) > 0 && args[0] == "hostile" {
		prefix = hostileText
	}
	db := s.open(ts)
	defer db.Close()
	start := time.Now().Add(-4 * 24 * time.Hour).Truncate(time.Hour)
	w, err := sim.New(sim.Config{
		Start: start, Nodes: sim.UniformNodes(4, "a100", 8), Partitions: []sim.Partition{{Name: "gpu", MaxTime: 24 * time.Hour}},
		FirstJobID: 1000, MinJobAge: 15 * time.Minute, Seed: 1, // as in the replay: its periodic passes come when these do
	})
	ts.Check(err)
	for i := range 90 {
		work := time.Duration(10+i*37%230) * time.Minute
		ts.Check(w.SubmitAt(start.Add(time.Duration(i)*25*time.Minute), sim.JobSpec{
			Name: prefix + "train", User: fmt.Sprintf("%su%d", prefix, i%3), Account: fmt.Sprintf("%sa%d", prefix, i%2), MinNodes: 1 + i%7/6,
			GPUsPerNode: []int{1, 8, 4, 2, 8}[i%5], TimeLimit: 2 * work, WorkTime: work,
		}))
	}
	for at := start; at.Before(start.Add(60 * time.Hour)); at = at.Add(5 * time.Minute) {
		w.Advance(at)
		view, err := sim.DirectCluster{World: w}.Observe(s.t.Context())
		ts.Check(err)
		ts.Check(db.RecordView(s.t.Context(), view))
	}
	if w.OpenJobCount() > 0 {
		ts.Fatalf("%d jobs are not done", w.OpenJobCount())
	}
}
