package ledger

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// The breaker for people. A job that somebody changed after us is left alone in
// any case. Somebody who does so to several of one person's jobs wants all of
// them left alone; somebody who does so to the jobs of many wants us gone.
const (
	minContestedJobs   = 5    // jobs of one person
	minContestedPeople = 5    // people,
	minContestedShare  = 0.25 // and this share of those whose jobs we changed

	// ContestMemorySpan is how far back it looks.
	ContestMemorySpan = time.Hour
)

// MemorySpans are how long after what is noted of an intent some function of this package may still tell
// something else by it, but for those spans that are settings.
func MemorySpans() []time.Duration {
	return []time.Duration{
		ContestMemorySpan, otherOrderSpan, noticedNiceSpan, sizeInVainTime, maxUnansweredTime, maxSendTime,
	}
}

// ContestedEdits says whose jobs somebody else changed after us in the last hour.
type ContestedEdits struct {
	editedUsers         map[string]bool           // people whose jobs we changed
	contestedJobsByUser map[string]map[int64]bool // of which these jobs were changed after us
}

// NewContestedEdits counts people and their jobs, not edits.
func NewContestedEdits(intents []bridge.Intent, v *slurm.View) ContestedEdits {
	c := ContestedEdits{editedUsers: map[string]bool{}, contestedJobsByUser: map[string]map[int64]bool{}}
	for i := range intents {
		in := &intents[i]
		if actuator.EditKindRowOf(in.Edit.Kind).OnlyTells { // who writes there has nothing against our order
			continue
		}
		if in.Sent.IsZero() || v.At.Sub(in.Sent) > ContestMemorySpan && v.At.Sub(in.Closed) > ContestMemorySpan {
			continue
		}
		who := in.Before.User
		if j := v.Job(in.Edit.Run.Job); who == "" && j != nil {
			who = j.User
		}
		c.editedUsers[who] = true
		if in.State != bridge.IntentYielded {
			continue
		}
		if c.contestedJobsByUser[who] == nil {
			c.contestedJobsByUser[who] = map[int64]bool{}
		}
		c.contestedJobsByUser[who][in.Edit.Run.Job] = true
	}
	return c
}

// CheckManyContested returns an error that says why nothing at all should be sent: the jobs of many
// people are changed after us; nil when they are not.
func (c *ContestedEdits) CheckManyContested() error {
	n := len(c.contestedJobsByUser)
	if n < minContestedPeople || float64(n) <= minContestedShare*float64(len(c.editedUsers)) {
		return nil
	}
	return fmt.Errorf("jobs of %d of the %d people whose jobs we changed in the last hour were changed by somebody after us: an administrator or another program? ask who (fairbridge explain JOB tells what)", n, len(c.editedUsers))
}

// LeftAloneReasonByUser returns the people whose jobs are left alone, and why.
func (c *ContestedEdits) LeftAloneReasonByUser() map[string]string {
	out := map[string]string{}
	for who, jobs := range c.contestedJobsByUser {
		if who != "" && len(jobs) >= minContestedJobs {
			out[who] = fmt.Sprintf("%d jobs of %s were changed by somebody after us in the last hour", len(jobs), who)
		}
	}
	return out
}
