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
