package cycle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// The breaker for people. A job that somebody changed after us is left alone in
// any case. Somebody who does so to several of one person's jobs wants all of
// them left alone; somebody who does so to the jobs of many wants us gone.
const (
	contestedJobs   = 5    // jobs of one person
	contestedPeople = 5    // people,
	contestedShare  = 0.25 // and this share of those whose jobs we changed
	contestedSpan   = time.Hour
)

// contestedEdits says whose jobs somebody else changed after us in the last hour.
type contestedEdits struct {
	touched map[string]bool           // people whose jobs we changed
	changed map[string]map[int64]bool // of which these jobs were changed after us
}

// contestedEditsOf counts people and their jobs, not edits.
func contestedEditsOf(intents []bridge.Intent, v *slurm.View) contestedEdits {
	c := contestedEdits{touched: map[string]bool{}, changed: map[string]map[int64]bool{}}
	for i := range intents {
		in := &intents[i]
		if in.Sent.IsZero() || v.At.Sub(in.Sent) > contestedSpan && v.At.Sub(in.Closed) > contestedSpan {
			continue
		}
		who := in.Before.User
		if j := v.Job(in.Edit.Run.Job); who == "" && j != nil {
			who = j.User
		}
		c.touched[who] = true
		if in.State != bridge.IntentYielded {
			continue
		}
		if c.changed[who] == nil {
			c.changed[who] = map[int64]bool{}
		}
		c.changed[who][in.Edit.Run.Job] = true
	}
	return c
}

// checkSite says why nothing at all should be sent: the jobs of many people are
// changed after us.
func (c *contestedEdits) checkSite() error {
	n := len(c.changed)
	if n < contestedPeople || float64(n) <= contestedShare*float64(len(c.touched)) {
		return nil
	}
	return fmt.Errorf("jobs of %d of the %d people whose jobs we changed in the last hour were changed by somebody after us: an administrator or another program? ask who (fairbridge explain JOB tells what)", n, len(c.touched))
}

// leftAlone returns the people whose jobs are left alone, and why.
func (c *contestedEdits) leftAlone() map[string]string {
	out := map[string]string{}
	for who, jobs := range c.changed {
		if who != "" && len(jobs) >= contestedJobs {
			out[who] = fmt.Sprintf("%d jobs of %s were changed by somebody after us in the last hour", len(jobs), who)
		}
	}
	return out
}

// leftAloneError says whose jobs are left alone, and why; nil when none are.
func leftAloneError(left map[string]string) error {
	if len(left) == 0 {
		return nil
	}
	var why []string
	for _, who := range slices.Sorted(maps.Keys(left)) {
		why = append(why, left[who])
	}
	return fmt.Errorf("their jobs are left alone until an hour after: %s", strings.Join(why, "; "))
}
