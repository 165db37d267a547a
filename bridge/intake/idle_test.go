package intake

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestIgnoredIdleWord: an owner is told where it does not count that a job may be requeued when its GPUs do no work; and that word
// alone opts no job in to requeues.
func TestIgnoredIdleWord(t *testing.T) {
	for name, c := range map[string]struct {
		comment string
		after   time.Duration
		change  func(j *slurm.Job)
		says    string
	}{
		"it counts":         {"preemptible,idle=requeue", time.Hour, nil, ""},
		"opportunistic":     {"opportunistic,idle=requeue", time.Hour, nil, ""},
		"the site is quiet": {"preemptible,idle=requeue", 0, nil, "partition gpu stops no job"},
		"not preemptible":   {"idle=requeue", time.Hour, nil, "may not be requeued at all"},
		"no requeue":        {"preemptible,idle=requeue", time.Hour, func(j *slurm.Job) { j.Requeue = false }, "sbatch --requeue"},
		"a replica":         {"preemptible,idle=requeue,service=chat", time.Hour, nil, "may wait for requests"},
		"nothing is said":   {"preemptible", 0, nil, ""},
	} {
		v := migView("gpu:a100:8", slurm.Job{State: "RUNNING", IsBatch: true, Requeue: true, Directive: slurm.ReadDirective("fairbridge:" + c.comment),
			AllocatedTRES: slurm.ReadTRES("gres/gpu=1"), RequestedTRES: slurm.ReadTRES("gres/gpu=1"), GresDetail: slurm.ReadGRESDetail([]string{"gpu:a100:1(IDX:0)"})})
		if c.change != nil {
			c.change(&v.Jobs[0])
		}
		j := AssembleSnapshot(Input{View: v, OptIn: bridge.OptIn{Comment: true}}, bridge.Partition{Name: "gpu", Mode: bridge.ModePreempt, StopIdleAfter: c.after}).Job(1)
		if j == nil {
			t.Fatalf("%s: it is not in the snapshot", name)
		}
		if got := j.IgnoredReason; c.says == "" && strings.Contains(got, "idle=requeue") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", name, got, c.says)
		}
		if c.comment == "idle=requeue" && !strings.Contains(j.UnstoppableReason, "did not opt in") {
			t.Errorf("%s: may it be stopped? %q", name, j.UnstoppableReason)
		}
	}
}
