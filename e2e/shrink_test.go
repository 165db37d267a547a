package e2e

import (
	"testing"
	"time"
)

// TestANodeListShrinksARun: Slurm takes nodes from a running job whose required nodes are
// set to some of those it has, and refuses an empty list. So a node list that comes in the
// moment of a start must be one of all nodes that the job can have.
func TestANodeListShrinksARun(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		job := s.submit("bob", long, "-N", "2", "--gres=gpu:1", "-t", "60")
		s.until("the job runs", time.Minute, func() bool { return s.show(job)["JobState"] == "RUNNING" })
		all := s.show(job)["NodeList"]
		s.run("root", "scontrol", "update", "jobid="+job, "reqnodelist="+all)
		if is := s.show(job); is["NumNodes"] != "2" {
			t.Errorf("named all its nodes, it has %s", is["NumNodes"])
		}
		if out, err := s.slurm.Run(t.Context(), "root", "scontrol", "update", "jobid="+job, "reqnodelist="); err == nil {
			t.Errorf("an empty list was taken: %s", out)
		}
		s.run("root", "scontrol", "update", "jobid="+job, "reqnodelist="+s.run("root", "sh", "-c", "scontrol show hostnames '"+all+"' | head -n1"))
		if is := s.show(job); is["NumNodes"] != "1" {
			t.Errorf("named one of its nodes, it has %s: the rule for node lists (I12) may be laxer", is["NumNodes"])
		}
	})
}
