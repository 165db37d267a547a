package event_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/replica/sim/event"
)

func TestEventsHappenByTimeThenByEntry(t *testing.T) {
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	q := event.NewQueue(start)
	var got []string
	note := func(s string) func() { return func() { got = append(got, s) } }
	q.ScheduleAfter(2*time.Second, note("c"))
	q.ScheduleAfter(time.Second, note("a"))
	q.ScheduleAfter(time.Second, func() { note("b")(); q.ScheduleAt(start, note("b, of the past")) })
	q.ScheduleEvery(3*time.Second, 2*time.Second, note("again"))
	q.Advance(start.Add(5 * time.Second))
	if want := []string{"a", "b", "b, of the past", "c", "again", "again"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if q.Step(start.Add(6 * time.Second)) {
		t.Error("something happened in a second without events")
	}
	if q.Advance(start); !q.Now().Equal(start.Add(6 * time.Second)) {
		t.Errorf("time stands at %v", q.Now())
	}
}
