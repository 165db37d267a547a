package startestimate

import (
	"testing"
	"time"

	"fairbridge/accounting/predictions"
)

func TestEarlierRunsAreTold(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.Local)
	two := 2
	for want, e := range map[string]*predictions.EarlierRuns{
		"": nil,
		"It came before: 1 run on as many GPUs, which ended 11:00:00 and took 5m.": {Count: 1, Since: now.Add(-time.Hour), MedianSeconds: 300, LongestSeconds: 300},
		"It came before: 7 runs on as many GPUs since 11:00:00. Half of them took 1h at most, the longest 2h. 2 of 7 were short enough for its deadline, did it start now. A time limit of 2h30m would have done for all of them, and jobs with short limits find room sooner.": {Count: 7, Since: now.Add(-time.Hour), MedianSeconds: 3600, LongestSeconds: 7200, EnoughLimitSeconds: 9000, InTimeCount: &two},
	} {
		if got := EarlierText(e, now); got != want {
			t.Errorf("%q,\nwant %q", got, want)
		}
	}
}
