package ledger

import (
	"fmt"
	"strings"
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

// How long nothing more is written into fields that only tell after such a write failed. What Slurm
// refuses, as it does to a user who is no Administrator, is not asked for again and again; other
// failures pass sooner.
const (
	refusedTellingPause = time.Hour
	failedTellingPause  = 5 * time.Minute
	// lostTellings is how many texts that Slurm accepted and that no poll showed count like a
	// refusal: fewer are people who cleared theirs at once.
	lostTellings = 3
)

// CheckTelling says why nothing is told in jobs now, whatever is configured: a write of the kind
// failed a short while ago; nil when none did.
func CheckTelling(intents []bridge.Intent, now time.Time) error {
	lost := 0
	for i := len(intents) - 1; i >= 0; i-- {
		in := &intents[i]
		if in.State != bridge.IntentFailed && !wasTellingLost(in) || !actuator.EditKindRowOf(in.Edit.Kind).OnlyTells {
			continue
		}
		pause := pauseAfterTelling(in)
		if now.Sub(in.Closed) >= pause {
			continue
		}
		if lost++; wasTellingLost(in) && lost < lostTellings {
			continue
		}
		return fmt.Errorf("no %s is written before %s, since one failed: %s. Slurm takes it from Administrators only (sacctmgr modify user USER set adminlevel=Administrator); else set order.admin_comment: false",
			in.Edit.Kind, in.Closed.Add(pause).UTC().Format(time.RFC3339), in.Error)
	}
	return nil
}

// pauseAfterTelling is how long nothing more is told after the intent failed. The ledger keeps of a
// call's error its words, which begin with its class.
func pauseAfterTelling(in *bridge.Intent) time.Duration {
	for _, c := range []slurm.ErrorClass{slurm.ErrorForbidden, slurm.ErrorBadRequest} {
		if strings.HasPrefix(in.Error, string(c)) {
			return refusedTellingPause
		}
	}
	if wasTellingLost(in) {
		return refusedTellingPause
	}
	return failedTellingPause
}

// wasTellingLost reports whether Slurm accepted the intent's text and no poll showed it.
func wasTellingLost(in *bridge.Intent) bool {
	return in.State == bridge.IntentYielded && in.Polls >= maxMissedPolls
}
