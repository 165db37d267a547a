package push

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// maxFailedCallsInRow is how many calls in a row may fail for reasons that are not the
// job's own before the rest of a cycle's edits is given up.
const maxFailedCallsInRow = 3

// Ports are what a push needs of others.
type Ports struct {
	Cluster      bridge.Cluster
	Journal      bridge.Journal
	Now          func() time.Time
	OnIntentSent func(*bridge.Intent) // called with every intent as it is sent; nil: not counted
}

// reportIntentSent counts an intent.
func (p *Ports) reportIntentSent(in *bridge.Intent) {
	if p.OnIntentSent != nil {
		p.OnIntentSent(in)
	}
}

// Pusher carries out intents that are stored.
type Pusher struct {
	Ports
	View         *slurm.View                 // what the intents were decided from
	IntentBook   *ledger.IntentBook          // of the ledger then
	CheckMayCall func(context.Context) error // looks, right before every call, at everything that may forbid it
	OnIntentDone func(done int)              // called after every intent; nil: it is not told
	// StopsAtFirstFailure ends the push at the first call that fails, until one succeeds.
	StopsAtFirstFailure bool
	// LooksForRewrites ends the push when edits change more of jobs than the field they write.
	LooksForRewrites bool
	// Rewrites is what was lately seen of that; the push adds to it.
	Rewrites RewriteEvidence

	sentFields    map[slurm.JobField]bool // fields written so far
	acceptedCount int                     // edits that Slurm accepted so far
	sawRewrite    bool                    // one of them changed more of its job

	runsOnFor map[int64]int64 // jobs that were to be stopped and run on, by the job that each was to make room for

	hasTellingFailed bool // the last edit that only tells failed: no more of them are sent, and nothing follows of it for others
}

// allowedFailuresInRow is how many calls in a row may fail.
func (p *Pusher) allowedFailuresInRow() int {
	if p.StopsAtFirstFailure {
		return 1
	}
	return maxFailedCallsInRow
}

// Push carries out intents that are stored as PLANNED, one after another, and
// records what came of each; intents without an answer are sent once more. What
// it does not reach stays PLANNED and is void in the next cycle, which plans
// anew. It returns the intents as they are now.
func (p *Pusher) Push(ctx context.Context, intents []bridge.Intent) ([]bridge.Intent, error) {
	p.sentFields, p.runsOnFor = map[slurm.JobField]bool{}, map[int64]int64{}
	failures := 0
	for i := range intents {
		if err := p.CheckMayCall(ctx); err != nil {
			return intents, err
		}
		if p.hasTellingFailed && actuator.EditKindRowOf(intents[i].Edit.Kind).OnlyTells {
			continue
		}
		tried, err := p.pushIntent(ctx, &intents[i])
		if err != nil {
			return intents, err
		}
		p.noteUnstopped(&intents[i])
		if !tried {
			continue
		}
		p.reportIntentSent(&intents[i])
		if p.OnIntentDone != nil {
			p.OnIntentDone(i + 1)
		}
		switch {
		case actuator.EditKindRowOf(intents[i].Edit.Kind).OnlyTells:
			p.hasTellingFailed = intents[i].State.IsSystemic()
		case intents[i].State.IsSystemic():
			failures++
		default:
			failures = 0
			p.StopsAtFirstFailure = p.StopsAtFirstFailure && intents[i].State != bridge.IntentAcked
		}
		if err := p.checkRewrites(); err != nil {
			return intents, err
		}
		if failures >= p.allowedFailuresInRow() {
			return intents, fmt.Errorf("%w: %w: %d in a row, the last with: %s", ErrPushHalted, ErrCallsFailing, failures, intents[i].Error)
		}
	}
	return intents, nil
}

// pushIntent reads the job afresh, compares, marks the intent as sent, sends and
// marks what came of it. tried is false when nothing was to be done after all.
// An error means that the journal failed: nothing more may be sent.
func (p *Pusher) pushIntent(ctx context.Context, in *bridge.Intent) (tried bool, err error) {
	now, again := p.Now(), in.State == bridge.IntentUnknown
	k, useless := p.newKnownJob(in.Edit.Run.Job), p.uselessStopReason(ctx, in)
	j, err := p.Cluster.RereadJob(ctx, in.Edit.Run.Job)
	why, state := staleReason(in, k, &j, err)
	if state == "" && useless != "" {
		why, state = useless, bridge.IntentVoid
	}
	switch {
	case state != "" && again:
		return false, nil // the first call may have been carried out late: the next poll tells
	case state != "":
		in.State, in.Error, in.Closed = state, "not sent: "+why, now
		return true, errors.Join(p.yieldOverwrittenValues(ctx, k, &j, in.Edit.Kind.Field()), p.updateIntent(ctx, in))
	}
	if !again { // the first call may have changed what stood before
		stop := in.Before.Stop
		in.Before = ledger.BeforeOfEdit(k.intentBook, &j, in.Edit, k.clusterTime)
		in.Before.Stop = stop
	}
	in.State, in.Sent, in.Error = bridge.IntentSent, now, ""
	if err := p.updateIntent(ctx, in); err != nil {
		return true, err
	}
	p.sentFields[in.Edit.WrittenField()] = true
	err = p.sendEdit(ctx, in)
	noteCallEnd(in, p.Now())
	if SetOutcome(in, err, p.Now()); again && in.State != bridge.IntentAcked { // the first call may have been carried out
		in.State, in.Closed = bridge.IntentUnknown, time.Time{}
	}
	if err := p.updateIntent(ctx, in); err != nil {
		return true, err
	}
	return true, p.noteRewrite(ctx, in, &j)
}

// noteCallEnd notes that the call has ended: it may have reached Slurm as late as now,
// when we stood still before it. A hold of a hand-back is told by when that began.
func noteCallEnd(in *bridge.Intent, now time.Time) {
	if !actuator.EditKindRowOf(in.Edit.Kind).TakesTwoCalls && now.After(in.Sent) {
		in.Sent = now
	}
}

// callTimeout bounds one call. A call under way is not given up when the cycle or
// the daemon ends: Slurm might carry it out all the same.
const callTimeout = time.Minute

func (p *Pusher) sendEdit(ctx context.Context, in *bridge.Intent) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	if c, ok := p.Cluster.(bridge.HandBacker); ok && actuator.EditKindRowOf(in.Edit.Kind).TakesTwoCalls {
		return p.sendHandBack(ctx, c, in)
	}
	return p.Cluster.ApplyEdit(ctx, in.Edit)
}

// newKnownJob returns what was decided about a job, and what was written to it since.
func (p *Pusher) newKnownJob(job int64) *knownJob {
	return &knownJob{view: p.View, viewedJob: p.View.Job(job), intentBook: p.IntentBook, clusterTime: p.View.At,
		isWrittenByUs: func(f slurm.Field) bool { return p.sentFields[slurm.JobField{Job: job, Field: f}] }}
}

// staleReason says why an intent must not be sent after all to the job as it was read
// again, if it could be, and what that makes of it; state is "" when it may be
// sent.
func staleReason(in *bridge.Intent, k *knownJob, j *slurm.Job, err error) (why string, state bridge.IntentState) {
	if err != nil {
		return "reading the job again: " + err.Error(), bridge.IntentVoid
	}
	gone, changed := k.compareJob(in.Edit, j)
	switch {
	case gone != "":
		return gone, bridge.IntentVoid
	case changed != "":
		return changed, bridge.IntentYielded
	}
	if lost := actuator.UnreadReason(in.Edit.Kind, j); lost != "" {
		return lost, bridge.IntentVoid
	}
	if in.State == bridge.IntentUnknown { // to be sent once more
		if what := actuator.ForeignOverwrite(in, j); what != "" {
			return what, bridge.IntentYielded
		}
	}
	return "", ""
}

// yieldOverwrittenValues closes the values of ours that somebody wrote over, or slurmctld was
// started without, which the job as it was read again shows.
func (p *Pusher) yieldOverwrittenValues(ctx context.Context, k *knownJob, j *slurm.Job, written slurm.Field) error {
	for _, in := range k.overwrittenIntents(j, written) {
		in.State, in.Error, in.Closed = bridge.IntentYielded, actuator.ForeignChange(&in, j), p.Now()
		if ledger.WasLost(&in, j, p.View) {
			in.State, in.Error = bridge.IntentExpired, ledger.StateLossReason
		}
		if err := p.updateIntent(ctx, &in); err != nil {
			return err
		}
	}
	return nil
}

// updateIntent stores an intent. The context of the cycle may be over; what was sent
// must be recorded all the same.
func (p *Pusher) updateIntent(ctx context.Context, in *bridge.Intent) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := p.Journal.UpdateIntent(ctx, *in); err != nil {
		return fmt.Errorf("%w: recording %s as %s: %w", ErrPushHalted, in.Edit, in.State, err)
	}
	return nil
}

// SetOutcome notes what Slurm answered. Whatever does not prove that nothing was
// done is unknown until a poll shows it.
func SetOutcome(in *bridge.Intent, err error, now time.Time) {
	if err != nil {
		in.Error = err.Error()
	}
	switch slurm.OutcomeOf(err) {
	case slurm.OutcomeDone:
		in.State = bridge.IntentAcked
		if actuator.EditKindRowOf(in.Edit.Kind).StopTiming == actuator.StopsLater {
			in.NotAfter = now.Add(in.Edit.Grace())
		}
	case slurm.OutcomeJobMovedOn:
		in.State, in.Closed = bridge.IntentExpired, now
	case slurm.OutcomeNotDone:
		in.State, in.Closed = bridge.IntentFailed, now
	case slurm.OutcomeMaybeDone:
		in.State = bridge.IntentUnknown
	}
}

// ErrPushHalted ends a push early; its text says why.
var ErrPushHalted = errors.New("push halted")

// ErrCallsFailing ends a push because call after call fails, for reasons that are
// not the jobs' own.
var ErrCallsFailing = errors.New("calls keep failing")

// CheckMayCall says why no call may be made now: the time of the caller is over, a STOP file
// exists, or leadership does not last for it and cannot be renewed.
func CheckMayCall(ctx context.Context, stopFile string, l *LeaderLease, election bridge.Leadership) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: the cycle's time is over: %w", ErrPushHalted, err)
	}
	if StopFileExists(stopFile) {
		return fmt.Errorf("%w: %s exists", ErrPushHalted, stopFile)
	}
	if err := l.Renew(ctx, election); err != nil {
		return fmt.Errorf("%w: %w", ErrPushHalted, err)
	}
	return nil
}

// StopFileExists reports whether the STOP file exists. A file that cannot be looked
// for counts as there: in doubt nothing is pushed.
func StopFileExists(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
