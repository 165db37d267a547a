package writer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"fairbridge/bridge/slurm"
)

// maxReleaseTries is how often the second half of a hand-back is sent.
const maxReleaseTries = 4

// handBack gives a direct priority back to multifactor: a hold, then a release,
// which keeps the nice. The direct priority has wiped the owner's nice, which is
// put back then, unless it is 0.
type handBack struct {
	writer    *Writer
	run       slurm.Run
	ownerNice int64
}

// carryOut holds the job and releases it again, and calls held in between. A job
// that is held already is somebody else's and left alone.
func (h handBack) carryOut(ctx context.Context, held func(context.Context) error) error {
	j, err := h.writer.rereadRun(ctx, h.run)
	if err != nil {
		return err
	}
	if !j.IsPending() || j.IsHeld {
		return newChangedError("job %s is %s and held=%v: only a pending job that is not held is handed back", h.run.TextOf(j.Label()), j.State, j.IsHeld)
	}
	address, err := h.writer.findJobAddress(ctx, h.run)
	if err != nil {
		return err
	}
	if err := h.writer.guard.waitForPermission(ctx); err != nil {
		return err
	}
	if err := h.writer.postUpdate(ctx, h.run, address, updateField{"hold", true}); err != nil && !h.holdTookEffect(ctx, err) {
		return err
	}
	_ = held(ctx) // what was not written down is released all the same
	if err := h.release(ctx, address); err != nil {
		return err
	}
	return h.restoreNice(ctx)
}

// holdTookEffect reports whether a hold with an unclear answer was placed. One that Slurm
// had no time for was not: a hold that the job shows then is somebody else's.
func (h handBack) holdTookEffect(ctx context.Context, err error) bool {
	var e *slurm.Error
	if slurm.OutcomeOf(err) != slurm.OutcomeMaybeDone || errors.As(err, &e) && e.Class == slurm.ErrorBusy {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	j, err := h.writer.rereadRun(ctx, h.run)
	return err == nil && j.IsHeldByAdmin()
}

// release ends our own hold of a moment ago. It is sent whatever has happened
// since, also under a STOP file and when the caller gave up: what would stay
// otherwise is a job held for ever. Sending it again is harmless, since the
// job is ours until it succeeds.
func (h handBack) release(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var err error
	for try := range maxReleaseTries {
		if try > 0 {
			time.Sleep(time.Duration(try) * 500 * time.Millisecond)
		}
		err = h.writer.postUpdate(ctx, h.run, address, updateField{"hold", false})
		if outcome := slurm.OutcomeOf(err); outcome == slurm.OutcomeDone || outcome == slurm.OutcomeJobMovedOn {
			h.writer.unfinishedHandBacks.remove(h)
			return err
		}
	}
	h.writer.unfinishedHandBacks.add(h)
	return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: fmt.Sprintf(
		"job %d may be left held; it is tried again before the next write, or: scontrol release %d", h.run.Job, h.run.Job), Err: err}
}

// restoreNice puts back the nice that the direct priority wiped.
func (h handBack) restoreNice(ctx context.Context) error {
	if h.ownerNice == 0 {
		return nil
	}
	return h.writer.updateJobField(ctx, h.run, updateField{"nice", h.ownerNice})
}

// finish releases a job that was left held. One that is no longer held, or
// another run, is none of ours. A nice that somebody set meanwhile is his.
func (h handBack) finish(ctx context.Context) error {
	j, err := h.writer.rereadRun(ctx, h.run)
	if slurm.OutcomeOf(err) == slurm.OutcomeJobMovedOn || err == nil && !j.IsHeldByAdmin() {
		h.writer.unfinishedHandBacks.remove(h)
		return nil
	}
	if err != nil {
		return err
	}
	address, err := h.writer.findJobAddress(ctx, h.run)
	if err != nil {
		return err
	}
	if err := h.release(ctx, address); err != nil {
		if slurm.OutcomeOf(err) == slurm.OutcomeJobMovedOn {
			return nil
		}
		return err
	}
	if j.Nice != 0 {
		return nil
	}
	return h.restoreNice(ctx)
}

// unfinishedHandBacks are the hand-backs that left a job held, by job.
type unfinishedHandBacks struct {
	mu    sync.Mutex
	byJob map[int64]handBack
}

func (u *unfinishedHandBacks) add(h handBack) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byJob == nil {
		u.byJob = map[int64]handBack{}
	}
	u.byJob[h.run.Job] = h
}

func (u *unfinishedHandBacks) remove(h handBack) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.byJob, h.run.Job)
}

// list returns them, sorted by job.
func (u *unfinishedHandBacks) list() []handBack {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.SortedFunc(maps.Values(u.byJob), func(a, b handBack) int { return cmp.Compare(a.run.Job, b.run.Job) })
}
