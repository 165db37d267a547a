package push

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// A release goes in rounds: look, send so many edits, look again. Jobs start and
// end meanwhile, and what a look shows is some minutes old when its last edit is
// sent.
const (
	maxRoundEdits      = 500             // sent between two looks
	maxFieldTries      = 3               // edits sent to one field before it is given up
	minPause           = 2 * time.Second // between two looks; twice as long each time nothing comes of it
	maxPause           = 15 * time.Second
	maxFailedRounds    = 3               // rounds in a row that every call of failed
	defaultMaxIdleTime = 5 * time.Minute // default of Releaser.MaxIdleTime
)

// Release gives back, round after round, until polls show that nothing is left
// that can be. Beside an error there is what was done all the same.
func (r *Releaser) Release(ctx context.Context) (*ReleaseResult, error) {
	all := releaseRounds{Releaser: r, result: &ReleaseResult{}, tryCountByField: map[writtenField]int{}, lastEditIndexByField: map[writtenField]int{}, nextPause: minPause}
	for {
		over, err := all.runRound(ctx)
		if over || err != nil {
			return all.result, err
		}
		if err := all.waitForNextRound(ctx); err != nil {
			return all.result, err
		}
	}
}

// releaseRounds are a release under way.
type releaseRounds struct {
	*Releaser
	result               *ReleaseResult
	tryCountByField      map[writtenField]int
	lastEditIndexByField map[writtenField]int // where in all the last edit of a field is
	nextPause            time.Duration        // before the next round
	idleTime             time.Duration        // since the last edit that Slurm said yes to
	failedRoundCount     int                  // rounds in a row that every call of failed
}

type writtenField struct {
	run   slurm.Run
	field slurm.Field
}

func writtenFieldOf(e slurm.Edit) writtenField { return writtenField{e.Run, e.Kind.Field()} }

// runRound looks and sends. over: there is nothing left to wait for.
func (r *releaseRounds) runRound(ctx context.Context) (over bool, err error) {
	if err := r.checkMayCall(ctx); err != nil {
		return false, err
	}
	f, err := r.readAndStoreFindings(ctx)
	if err != nil {
		return false, err
	}
	r.result.Kept, r.result.Holds, r.result.OpenIntentCount = f.Kept, f.Holds, f.OpenIntentCount
	r.result.UnprovenTops = f.UnprovenTops
	if err := FinishHandBacks(ctx, r.Cluster, f.Holds); err != nil {
		return false, err
	}
	todo := r.editsWithTriesLeft(f.Edits)
	switch {
	case len(todo) > 0:
		return false, r.sendRound(ctx, f, todo)
	case f.OpenIntentCount > 0 && r.MaxIdleTime < 0:
		return true, nil
	case f.OpenIntentCount > 0 && r.idleTime < r.maxIdleTime():
		return false, nil
	case f.OpenIntentCount > 0 || len(f.Edits) > 0:
		return false, fmt.Errorf("%d fields not given back, %d outcomes unknown: run release again%s", len(f.Edits), f.OpenIntentCount, r.lastErrorText())
	}
	return true, nil
}

// lastErrorText says why the last field that was not given back was not.
func (r *releaseRounds) lastErrorText() string {
	for i := len(r.result.Intents) - 1; i >= 0; i-- {
		if in := &r.result.Intents[i]; in.Error != "" {
			return fmt.Sprintf("; %v: %s", in.Edit, in.Error)
		}
	}
	return ""
}

func (r *releaseRounds) maxIdleTime() time.Duration {
	if r.MaxIdleTime > 0 {
		return r.MaxIdleTime
	}
	return defaultMaxIdleTime
}

// editsWithTriesLeft returns the edits whose field was not tried too often yet.
func (r *releaseRounds) editsWithTriesLeft(edits []slurm.Edit) []slurm.Edit {
	var out []slurm.Edit
	for _, e := range edits {
		if r.tryCountByField[writtenFieldOf(e)] < maxFieldTries {
			out = append(out, e)
		}
	}
	return out
}

// sendRound writes the first edits down and sends them.
func (r *releaseRounds) sendRound(ctx context.Context, f *releaseFindings, todo []slurm.Edit) error {
	now, left := todo[:min(len(todo), maxRoundEdits)], len(todo)
	for _, e := range now {
		r.tryCountByField[writtenFieldOf(e)]++
	}
	planned, err := r.Journal.StoreIntents(ctx, nil, ledger.NewUndoIntents(f.intentBook, f.view, r.ClusterName, r.Epoch, now))
	if err != nil {
		return fmt.Errorf("storing what is to be given back: %w", err)
	}
	p := Pusher{Ports: r.Ports, View: f.view, IntentBook: f.intentBook, CheckMayCall: r.checkMayCall, OnIntentDone: func(n int) { r.reportProgress(n, left) }}
	sent, err := p.Push(ctx, planned)
	r.recordSentIntents(sent)
	if errors.Is(err, ErrCallsFailing) && r.failedRoundCount < maxFailedRounds {
		r.failedRoundCount++
		return nil
	}
	return err
}

// recordSentIntents keeps what came of a round's edits.
func (r *releaseRounds) recordSentIntents(sent []bridge.Intent) {
	for i := range sent {
		in := &sent[i]
		at := writtenFieldOf(in.Edit)
		if in.State == bridge.IntentPlanned { // never reached
			r.tryCountByField[at]--
			continue
		}
		if _, again := r.lastEditIndexByField[at]; !again {
			r.lastEditIndexByField[at] = len(r.result.Edits)
			r.result.Edits, r.result.Intents = append(r.result.Edits, in.Edit), append(r.result.Intents, *in)
		}
		r.result.Edits[r.lastEditIndexByField[at]], r.result.Intents[r.lastEditIndexByField[at]] = in.Edit, *in
		if in.State == bridge.IntentAcked {
			r.nextPause, r.idleTime, r.failedRoundCount = minPause, 0, 0
		}
	}
}

func (r *releaseRounds) reportProgress(n, left int) {
	if r.ReportProgress != nil {
		r.ReportProgress(len(r.result.Edits)+n, left-n)
	}
}

// waitForNextRound lets time pass, longer each time that nothing came of the last look.
func (r *releaseRounds) waitForNextRound(ctx context.Context) error {
	wait := r.Wait
	if wait == nil {
		wait = sleep
	}
	if err := wait(ctx, r.nextPause); err != nil {
		return fmt.Errorf("interrupted: %d outcomes unknown, run release again: %w", r.result.OpenIntentCount, err)
	}
	r.idleTime += r.nextPause
	r.nextPause = min(2*r.nextPause, maxPause)
	return nil
}

// sleep waits in real time.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
