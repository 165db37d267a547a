package harm

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// minApart is how far apart checks must be to count one by one: harm that lasts is meant, and
// not that somebody asked three times.
const minApart = 30 * time.Minute

// DecideDemotion says whether the partition is to be demoted now: when the last checks that could
// tell, as many as the bounds say, all show harm. checks are those since the partition went live
// as it is, or was last cleared, the newest first; what cannot be told says nothing either way.
func DecideDemotion(checks []Check, b Bounds) (d bridge.Demotion, yes bool) {
	var last []Check
	for i := range checks {
		c := &checks[i]
		if c.Verdict == CannotTell || len(last) > 0 && last[len(last)-1].At.Sub(c.At) < minApart {
			continue
		}
		if c.Verdict != Harm {
			break
		}
		if last = append(last, *c); len(last) == b.Checks {
			break
		}
	}
	if !b.Demote || len(last) < b.Checks || checks[0].Verdict != Harm {
		return d, false
	}
	newest, oldest := &last[0], &last[len(last)-1]
	d = bridge.Demotion{Partition: newest.Partition, Since: newest.At, By: GuardName, Why: whyDemoted(newest, oldest, len(last))}
	if b.Lasts > 0 {
		d.Until = newest.At.Add(b.Lasts)
	}
	return d, true
}

// DecideDemotionByTurns is DecideDemotion where a canary's candidate and the incumbent take turns:
// only checks of the policy that the newest check is of count, of whatever days. candidate is that
// policy if it is the candidate, which is then demoted alone; "": it is the incumbent, or there is no
// canary, and the partition is.
func DecideDemotionByTurns(checks []Check, candidate string, b Bounds) (d bridge.Demotion, yes bool) {
	var mine []Check
	others, harmful := 0, 0
	for i := range checks {
		switch c := &checks[i]; {
		case c.Policy == checks[0].Policy:
			mine = append(mine, *c)
		case c.Verdict != CannotTell:
			others++
			if c.Verdict == Harm {
				harmful++
			}
		}
	}
	if d, yes = DecideDemotion(mine, b); !yes || candidate == "" {
		return d, yes
	}
	d.Candidate = candidate
	d.Why += fmt.Sprintf(" These are checks of the days of the candidate; of those of the incumbent that could tell (%d), %d showed harm.", others, harmful)
	return d, true
}

// GuardName is who demotes by itself.
const GuardName = "the harm guard"

// maxReasons is how many reasons a demotion names.
const maxReasons = 3

func whyDemoted(newest, oldest *Check, count int) string {
	reasons := newest.Reasons[:min(len(newest.Reasons), maxReasons)]
	said := strings.Join(slices.Clone(reasons), " ")
	if count > 1 {
		said = fmt.Sprintf("%s in a row, over %s, showed harm. The last: %s", policy.FormatCount(count, "check"), policy.FormatDuration(newest.At.Sub(oldest.At)), said)
	}
	return said
}
