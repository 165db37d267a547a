package doctor

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/cmd/settings"
)

// checkCanaries looks at the canaries of the configuration: one that has ended, that changes nothing
// or that nobody will ever be able to judge is worth a word. Which are demoted checkGuard says.
func checkCanaries(f *settings.File, now time.Time) []Finding {
	loop, err := f.LoopConfig()
	if err != nil {
		return []Finding{{Subject: "canary", Level: LevelFail, Text: err.Error(), Fix: "fairbridge config check"}}
	}
	var found []Finding
	for i := range loop.Partitions {
		if p := &loop.Partitions[i]; p.Canary != nil {
			found = append(found, checkCanary(p, now))
		}
	}
	return found
}

// checkCanary says what is worst about one.
func checkCanary(p *bridge.Partition, now time.Time) Finding {
	c := p.Canary
	warn := func(fix, format string, a ...any) Finding {
		return Finding{
			Subject: "canary",
			Level:   LevelWarn,
			Text:    fmt.Sprintf("partition %s: the canary %s ", p.Name, c.Candidate()) + fmt.Sprintf(format, a...),
			Fix:     fix,
		}
	}
	next, earliest := c.NextDays(p.Name, now, 1), p.EarliestVerdict(bridge.CanaryTally{}, c.Since)
	switch {
	case p.IsCanaryVoid():
		return warn(
			"other parameters, or none",
			"is the same as %s, whose defaults its parameters are: there is nothing to try",
			bridge.FormatDecider(p.Policy, p.Params),
		)
	case earliest.IsZero():
		return warn(
			"canary.until later, or more days a week",
			"can never be judged: from %s to %s there are fewer than %d days of it in %d weeks that have days of both, or too few ways to draw them",
			c.Since.Format(
				time.DateOnly,
			),
			c.Until.Format(time.DateOnly),
			bridge.LeastCanaryDays,
			bridge.LeastCanaryWeeks,
		)
	case c.Day(now).After(c.Until):
		return warn(
			"fairbridge report canary -p "+p.Name+"; then make it the partition's policy, or take it out",
			"has ended on %s, and %s decides alone",
			c.Until.Format(time.DateOnly),
			bridge.FormatDecider(p.Policy, p.Params),
		)
	case !p.Mode.Allows(bridge.ModeRank):
		return warn("mode rank or more", "is tried in mode %s, in which nothing is sent and no day counts", p.Mode)
	}
	text := fmt.Sprintf(
		"partition %s: %s can be judged from %s on",
		p.Name,
		c.Candidate(),
		earliest.Format(time.DateOnly),
	)
	if len(next) > 0 {
		text += "; it decides next on " + next[0].Format(time.DateOnly)
	}
	return Finding{Subject: "canary", Level: LevelOK, Text: text + " (fairbridge report canary)"}
}
