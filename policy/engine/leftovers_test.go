package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/policy"
)

// TestPlansWithLeftovers: what earlier rounds left changes no plan, over histories in which jobs come, start, stop and
// end.
func TestPlansWithLeftovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pipelines()[rapid.IntRange(0, len(pipelines())-1).Draw(t, "pipeline")]
		s, left := drawSnapshot(t), &policy.Scratch{}
		nodes := s.Nodes
		for step := range rapid.IntRange(1, 8).Draw(t, "steps") {
			s.Nodes, s.Scratch = nodes, nil
			want, err := p.Decide(s)
			if err != nil {
				t.Fatal(err)
			}
			s.Scratch = left
			got, err := p.Decide(s)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("step %d: %s", step, d)
			}
			left.Recycle(got)
			s = carryOut(s, got, time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes"))*time.Minute)
			s.Jobs = slices.DeleteFunc(s.Jobs, func(policy.Job) bool {
				return rapid.IntRange(0, 5).Draw(t, "ends") == 0
			})
			s.Jobs = append(s.Jobs, drawJob(t, policy.JobID(100+step)))
		}
	})
}
