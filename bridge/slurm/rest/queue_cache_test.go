package rest

import (
	"testing"
	"time"
)

func TestMidnightIsNoRestart(t *testing.T) {
	m := &queueCache{}
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	started := day.Add(-30 * time.Hour)
	now := day.Add(4 * time.Hour)
	for _, s := range []struct{ since, want time.Time }{
		{started, started}, {day.Add(time.Second), started}, {day.Add(3 * time.Hour), day.Add(3 * time.Hour)},
		{time.Time{}, now}, {day.Add(time.Second), day.Add(3 * time.Hour)}, {now, now},
	} {
		if got := m.estimateCtldStart(s.since, now); !got.Equal(s.want) {
			t.Errorf("since %v: started %v", s.since, got)
		}
	}
}
