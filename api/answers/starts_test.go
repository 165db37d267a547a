package answers_test

import (
	"testing"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/api"
)

// TestQueueTellsHowJobsStarted: two jobs started before a plan saw them, a job and both tasks of an array while plans
// wanted them to wait, for GPUs that came free between cycles.
func TestQueueTellsHowJobsStarted(t *testing.T) {
	s := newSite(t, "fifo")
	s.step()
	s.busy()
	s.submit("annie", "annaccount", 2, 2)
	s.step()
	s.world.Advance(s.now().Add(4*time.Hour + 55*time.Minute))
	for range 15 {
		s.step()
	}
	q, err := s.service.Queue(t.Context(), operator, api.QueueQuery{Estimates: true})
	must(t, err)
	if got := q.Partitions[0].Starts; got == nil || *got != (journal.StartCounts{Against: 4, Unseen: 2}) {
		t.Errorf("starts %+v of the queue %+v", got, q.Jobs)
	}
	s.restart()
	if q, err = s.service.Queue(t.Context(), operator, api.QueueQuery{}); err != nil || q.Partitions[0].Starts != nil {
		t.Errorf("not asked for: %+v, %v", q.Partitions, err)
	}
}
