package cycle

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

// The breaker for rewrites: jobs came out of our edits with other fields changed. Some may have
// been changed by their owners at that very moment. Two of one person concern that person,
// who may change jobs in a loop; jobs of two people that lost the same field, and often, concern
// the site: a job_submit plugin does it. It is read from the ledger, so that a restart forgets
// nothing.
const (
	// rewritePause is how long nothing is sent after our edits were seen to change more of
	// jobs than the field they write. Then it is tried again, and two more jobs may show it.
	rewritePause = time.Hour
	// maxRewrittenPeople is how many people's jobs may be seen to be rewritten.
	maxRewrittenPeople = 2
)

// rewriteBreaker is the state of the breaker for rewrites, as the ledger shows it.
type rewriteBreaker struct {
	rewrittenJobs []bridge.Intent // the edits that changed more, by ID, of each job the last
	lastSeenAt    time.Time       // when the last of them was sent; zero: there is none
	evidence      push.RewriteEvidence
}

// newRewriteBreaker follows the breaker through the intents, by ID.
func newRewriteBreaker(intents []bridge.Intent, now time.Time) rewriteBreaker {
	var b rewriteBreaker
	first := 0
	for i := range intents {
		in := &intents[i]
		if in.Before.Rewritten == "" {
			continue
		}
		if in.Sent.Sub(b.lastSeenAt) >= rewritePause {
			b, first = rewriteBreaker{}, i
		}
		b.rewrittenJobs, b.lastSeenAt = append(b.rewrittenJobs, *in), in.Sent
	}
	if now.Sub(b.lastSeenAt) >= rewritePause {
		return rewriteBreaker{}
	}
	b.evidence = push.NewRewriteEvidence(intents[first:])
	return b
}

// recentRewrites returns what was lately seen of edits that changed more of their jobs.
func recentRewrites(intents []bridge.Intent, now time.Time) push.RewriteEvidence {
	b := newRewriteBreaker(intents, now)
	return b.evidence
}

// jobsByUser returns the jobs that were rewritten, by their owner.
func (b *rewriteBreaker) jobsByUser() map[string]map[int64]bool {
	jobs := map[string]map[int64]bool{}
	for i := range b.rewrittenJobs {
		in := &b.rewrittenJobs[i]
		if jobs[in.Before.User] == nil {
			jobs[in.Before.User] = map[int64]bool{}
		}
		jobs[in.Before.User][in.Edit.Run.Job] = true
	}
	return jobs
}

// leftAloneReasonByUser returns the people of whom several jobs were rewritten, and why they are
// left alone.
func (b *rewriteBreaker) leftAloneReasonByUser() map[string]string {
	out := map[string]string{}
	for who, jobs := range b.jobsByUser() {
		if who != "" && len(jobs) >= push.MaxRewrittenJobs {
			out[who] = fmt.Sprintf("%d jobs of %s lost other values in the moment of our edits", len(jobs), who)
		}
	}
	return out
}

// check returns the jobs and what became of them, as an error, and whether that is so
// systematic, and of so many people, that nothing may be sent.
func (b *rewriteBreaker) check() (isPaused bool, err error) {
	if len(b.rewrittenJobs) == 0 {
		return false, nil
	}
	var jobs []string
	for i := range b.rewrittenJobs {
		in := &b.rewrittenJobs[i]
		jobs = append(jobs, fmt.Sprintf("job %s of %s: %s", in.Edit.JobLabel(), in.Before.User, in.Before.Rewritten))
	}
	text := strings.Join(jobs, "; ")
	if len(b.jobsByUser()) < maxRewrittenPeople || !b.evidence.IsSystematic() {
		return false, errors.New(text + ": an owner at that moment, or a job_submit plugin; every edit is looked at now, and a person of whom two jobs show it is left alone")
	}
	return true, fmt.Errorf("%w: %s. Tell their owners, and let the plugin leave changes by our user alone; it is tried again at %s",
		push.ErrJobsRewritten, text, b.lastSeenAt.Add(rewritePause).UTC().Format(time.RFC3339))
}

// addRewrites tells of jobs that came out of our edits changed, and allows no more edits when
// they are of several people.
func (b *rewriteBreaker) addRewrites(r *Report, allowed editAllowance) editAllowance {
	paused, err := b.check()
	switch {
	case paused:
		r.addDoubt(bridge.CauseRewrites, err)
		return noEdits
	case err != nil:
		r.addWarning(bridge.CauseRewrites, err)
	}
	return allowed
}
