package cycle

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

// rewritePause is how long nothing is sent after our edits were seen to change more of jobs
// than the field they write. Then it is tried again, and two more jobs may show it.
const rewritePause = time.Hour

// RewriteMemory is what is remembered of jobs that came out of our edits with other fields changed.
type RewriteMemory struct {
	FieldByJob map[int64]string // what became of which field, by job
	LastSeenAt time.Time        // when the last of them was seen; zero: there is none
}

// withPush adds what a push saw.
func (w RewriteMemory) withPush(p *push.Pusher, now time.Time) RewriteMemory {
	if len(p.RewrittenFieldByJob) > len(w.FieldByJob) {
		w = RewriteMemory{FieldByJob: p.RewrittenFieldByJob, LastSeenAt: now}
	}
	return w
}

// forgetOld forgets what is older than the pause.
func (w RewriteMemory) forgetOld(now time.Time) RewriteMemory {
	if now.Sub(w.LastSeenAt) >= rewritePause {
		return RewriteMemory{}
	}
	return w
}

// check returns the jobs and what became of them, as an error, and whether they are so many
// that nothing may be sent.
func (w RewriteMemory) check() (isPaused bool, err error) {
	if len(w.FieldByJob) == 0 {
		return false, nil
	}
	var jobs []string
	for _, id := range slices.Sorted(maps.Keys(w.FieldByJob)) {
		jobs = append(jobs, w.FieldByJob[id])
	}
	text := strings.Join(jobs, "; ")
	if len(w.FieldByJob) < push.MaxRewrittenJobs {
		return false, errors.New(text + ": somebody at that moment, or a job_submit plugin; every edit is looked at now")
	}
	return true, fmt.Errorf("%w: %s. Tell their owners, let the plugin leave changes by our user alone, and restart fairbridge; else it tries again at %s",
		push.ErrJobsRewritten, text, w.LastSeenAt.Add(rewritePause).UTC().Format(time.RFC3339))
}

// addRewrites tells of jobs that came out of our edits changed, and allows no more edits when
// they are several.
func (m Memory) addRewrites(r *Report, allowed editAllowance) editAllowance {
	paused, err := m.Rewrites.check()
	switch {
	case paused:
		r.addDoubt(bridge.CauseRewrites, err)
		return noEdits
	case err != nil:
		r.addWarning(bridge.CauseRewrites, err)
	}
	return allowed
}
