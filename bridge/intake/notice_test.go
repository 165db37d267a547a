package intake

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestNoticeOfLentJobs: who runs on what others leave has half of the time in which its GPUs are to be back, and no more.
func TestNoticeOfLentJobs(t *testing.T) {
	p := &bridge.Partition{Name: "gpu"}
	for _, c := range []struct {
		comment string
		recall  time.Duration
		want    time.Duration
	}{
		{"fairbridge:opportunistic,grace=10m", 5 * time.Minute, 150 * time.Second},
		{"fairbridge:opportunistic,grace=1m", 5 * time.Minute, time.Minute},
		{"fairbridge:opportunistic,grace=10m", 0, 10 * time.Minute},
		{"fairbridge:opportunistic", 5 * time.Minute, 0},
		{"fairbridge:preemptible,grace=10m", 5 * time.Minute, 10 * time.Minute},
	} {
		v := &slurm.View{Jobs: []slurm.Job{{ID: 1, State: "RUNNING", Partitions: []string{"gpu"}, Directive: slurm.ReadDirective(c.comment)}}}
		if got := NoticeByJob(p, v, c.recall)[1].Grace; got != c.want {
			t.Errorf("%s, back within %v: warned %v ahead, want %v", c.comment, c.recall, got, c.want)
		}
	}
}
