package stores

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/replica/sim"
)

// flaky are demotions that cannot be asked now and then.
type flaky struct {
	bridge.Demotions
	err error
}

func (f *flaky) ActiveDemotions(ctx context.Context, cluster string) ([]bridge.Demotion, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Demotions.ActiveDemotions(ctx, cluster)
}

// demotedSite is a site whose jobs of a full cluster wait in our order.
func demotedSite(t *testing.T, mode bridge.Mode) (*site, *Stores, *flaky) {
	t.Helper()
	db := fresh(t)
	asked := &flaky{Demotions: db}
	s := newSite(t, newWorld(t), db, mode, "srtf")
	s.demote = asked
	s.restart()
	s.full("fairbridge:preemptible")
	for i := range 12 { // the later, the shorter: srtf turns them around
		s.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, WorkTime: 10 * time.Minute, TimeLimit: time.Duration(300-20*i) * time.Minute})
	}
	s.cycles(8)
	if len(s.sent) == 0 {
		t.Fatal("nothing was sent before")
	}
	return s, db, asked
}

func (s *site) left() int {
	s.t.Helper()
	r := push.Releaser{Ports: s.loop.PushPorts(), Leadership: s.store, ClusterName: "lab", HolderName: "look"}
	found, err := r.FindReleasable(s.t.Context())
	must(s.t, err)
	return len(found.Edits)
}

// TestADemotedPartitionIsGivenBack: from the next cycle on it only observes, with the reason in its
// record, what of ours stood in its jobs is given back, and that stays so while nobody can be
// asked; cleared, it goes on as configured.
func TestADemotedPartitionIsGivenBack(t *testing.T) {
	for _, mode := range []bridge.Mode{bridge.ModeRank, bridge.ModePreempt} {
		t.Run(string(mode), func(t *testing.T) {
			s, db, asked := demotedSite(t, mode)
			if s.left() == 0 {
				t.Fatal("nothing of ours stands before")
			}
			_, err := db.Demote(t.Context(), "lab", bridge.Demotion{Partition: "gpu", Since: time.Now(), By: "a test", Why: "So it is."})
			must(t, err)
			r := s.cycles(1)
			p := r.PartitionResults[0]
			if p.Partition.Mode != bridge.ModeObserve || p.Plan == nil || p.Partition.PlanMode() != mode || len(p.WithheldReasons) != 1 || !strings.Contains(p.WithheldReasons[0], "So it is.") {
				t.Errorf("mode %s, planned for %s, withheld because %q", p.Partition.Mode, p.Partition.PlanMode(), p.WithheldReasons)
			}
			if len(r.Warnings) != 1 || !r.Warnings[0].Cause.IsDemotion() || len(r.Doubts) > 0 {
				t.Errorf("warnings %v, doubts %v", r.Warnings, r.Doubts)
			}
			s.cycles(3)
			if n := s.left(); n != 0 {
				t.Errorf("%d values of ours stand after four cycles", n)
			}
			c, err := db.ReadCycle(t.Context(), "lab", "gpu", 0)
			must(t, err)
			if c.Mode != bridge.ModeObserve || len(c.Refusals) == 0 || !strings.Contains(c.Refusals[len(c.Refusals)-1].Why, "So it is.") {
				t.Errorf("recorded: mode %s, refusals %v", c.Mode, c.Refusals)
			}

			asked.err = errors.New("nobody answers")
			sent := len(s.sent)
			if r := s.cycles(3); len(s.sent) > sent || r.PartitionResults[0].Partition.Mode != bridge.ModeObserve || len(r.Warnings) != 2 {
				t.Errorf("while nobody answers: sent %v, warnings %v", s.sent[sent:], r.Warnings)
			}
			s.restart() // which are demoted is not known any more
			if r := s.cycles(4); len(s.sent) > sent || len(r.Doubts) == 0 || r.Doubts[0].Cause != bridge.CauseDemotions {
				t.Errorf("a new daemon, while nobody answers: sent %v, doubts %v", s.sent[sent:], r.Doubts)
			}
			asked.err = nil
			_, err = db.ClearDemotion(t.Context(), "lab", "gpu", "a person", "")
			must(t, err)
			if r := s.cycles(6); len(s.sent) == sent || r.PartitionResults[0].Partition.Mode != mode || len(r.Warnings) > 0 {
				t.Errorf("cleared: mode %s, nothing sent %t, warnings %v", r.PartitionResults[0].Partition.Mode, len(s.sent) == sent, r.Warnings)
			}
		})
	}
}

// TestADemotionRaisesNothing: a partition that is off or observes stays so, and no word is lost on it.
func TestADemotionRaisesNothing(t *testing.T) {
	for _, mode := range []bridge.Mode{bridge.ModeOff, bridge.ModeObserve} {
		db := fresh(t)
		s := newSite(t, newWorld(t), db, mode, "srtf")
		s.demote = db
		s.restart()
		_, err := db.Demote(t.Context(), "lab", bridge.Demotion{Partition: "gpu", Since: time.Now(), By: "a test"})
		must(t, err)
		s.full("")
		s.wait(3)
		if r := s.cycles(4); len(s.sent) > 0 || len(r.Warnings) > 0 || len(r.PartitionResults) > 0 && r.PartitionResults[0].Partition.Mode != mode {
			t.Errorf("mode %s: sent %v, %+v", mode, s.sent, r.Warnings)
		}
	}
}
