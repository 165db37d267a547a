package startestimate

import (
	"fmt"
	"time"

	"fairbridge/accounting/predictions"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

// EarlierText says how long earlier runs of a job that comes again took, and what that advises; "": none is known.
func EarlierText(e *predictions.EarlierRuns, now time.Time) string {
	if e == nil {
		return ""
	}
	long := func(seconds float64) string { return policy.FormatSeconds(seconds) }
	text := fmt.Sprintf("It came before: 1 run on as many GPUs, which ended %s and took %s.", output.FormatTime(e.Since, now), long(e.LongestSeconds))
	if e.Count > 1 {
		text = fmt.Sprintf("It came before: %d runs on as many GPUs since %s. Half of them took %s at most, the longest %s.", e.Count, output.FormatTime(e.Since, now), long(e.MedianSeconds), long(e.LongestSeconds))
	}
	if e.InTimeCount != nil {
		text += fmt.Sprintf(" %d of %d were short enough for its deadline, did it start now.", *e.InTimeCount, e.Count)
	}
	if e.EnoughLimitSeconds > 0 {
		text += fmt.Sprintf(" A time limit of %s would have done for all of them, and jobs with short limits find room sooner.", long(e.EnoughLimitSeconds))
	}
	return text
}
