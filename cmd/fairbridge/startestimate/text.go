package startestimate

import (
	"fmt"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

// IsPast reports whether the late edge of the estimate of a job that has not started is past, to the minute: it did not hold.
func IsPast(late, now time.Time) bool { return now.Sub(late) > time.Minute }

// EstimateText says when a job that waits is thought to start and end.
func EstimateText(s *estimates.StoredEstimate, now time.Time) string {
	if IsPast(s.Start.Late, now) {
		return fmt.Sprintf("Its estimate did not hold: %s ago nine in ten such jobs were thought to start by %s. The next estimate takes in why it waits.",
			output.FormatAge(now, s.MadeAt), output.FormatTime(s.Start.Late, now))
	}
	return fmt.Sprintf("It is estimated to start between %s and %s (four in five such jobs do), half of them by %s, and to end between %s and %s, half of them by %s; estimated %s ago.",
		output.FormatTime(s.Start.Early, now), output.FormatTime(s.Start.Late, now), output.FormatTime(s.Start.Middle, now),
		output.FormatTime(s.End.Early, now), output.FormatTime(s.End.Late, now), output.FormatTime(s.End.Middle, now), output.FormatAge(now, s.MadeAt))
}

// ScoreText says how good estimates of such starts, and of the ends of the same jobs, were.
func ScoreText(s *estimates.Score) string {
	if s == nil {
		return "How good such estimates are here is not known yet: no job has started of which one was stored."
	}
	ahead := fmt.Sprintf("up to %s ahead", policy.FormatDuration(s.AtMost.Duration()))
	switch {
	case s.AtMost == 0:
		ahead = fmt.Sprintf("more than %s ahead", policy.FormatDuration(s.MoreThan.Duration()))
	case s.MoreThan > 0:
		ahead = fmt.Sprintf("%s to %s ahead", policy.FormatDuration(s.MoreThan.Duration()), policy.FormatDuration(s.AtMost.Duration()))
	}
	text := fmt.Sprintf("Of %s of starts %s in the last 30 days, %.0f %% held (80 %% should), %.0f %% of the jobs started earlier and %.0f %% later; half were off by less than %s.",
		policy.FormatCount(s.LookCount, "estimate"), ahead, 100*s.HeldPart, 100*s.EarlyPart, 100*s.LatePart, policy.FormatDuration(s.MedianError.Duration()))
	if s.WithSlurmCount > 0 {
		text += fmt.Sprintf(" Where Slurm had one too (%d), half were off by less than %s, half of Slurm's by less than %s.",
			s.WithSlurmCount, policy.FormatDuration(s.MedianErrorWithSlurm.Duration()), policy.FormatDuration(s.SlurmMedianError.Duration()))
	}
	if s.EndCount > 0 {
		text += fmt.Sprintf(" Of their ends (%d) %.0f %% held, %.0f %% came earlier and %.0f %% later; half were off by less than %s.",
			s.EndCount, 100*s.EndHeldPart, 100*s.EndEarlyPart, 100*s.EndLatePart, policy.FormatDuration(s.EndMedianError.Duration()))
	}
	return text
}
