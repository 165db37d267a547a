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
	roundEdits  = 500             // sent between two looks
	fieldTries  = 3               // edits sent to one field before it is given up
	firstPause  = 2 * time.Second // between two looks; twice as long each time nothing comes of it
	lastPause   = 15 * time.Second
	maxFailed   = 3               // rounds in a row that every call of failed
	patienceFor = 5 * time.Minute // default of Releaser.Patience
)

// Release gives back, round after round, until polls show that nothing is left
// that can be. Beside an error there is what was done all the same.
func (r *Releaser) Release(ctx context.Context) (*Released, error) {
	all := rounds{Releaser: r, released: &Released{}, tries: map[fieldOfRun]int{}, last: map[fieldOfRun]int{}, pause: firstPause}
	for {
		over, err := all.runRound(ctx)
		if over || err != nil {
			return all.released, err
		}
		if err := all.wait(ctx); err != nil {
			return all.released, err
		}
	}
}

// rounds are a release under way.
type rounds struct {
	*Releaser
	released *Released
	tries    map[fieldOfRun]int
	last     map[fieldOfRun]int // where in all the last edit of a field is
	pause    time.Duration      // before the next round
	idle     time.Duration      // since the last edit that Slurm said yes to
	failed   int                // rounds in a row that every call of failed
}

type fieldOfRun struct {
	run   slurm.Run
	field slurm.Field
}

func fieldOf(e slurm.Edit) fieldOfRun { return fieldOfRun{e.Run, e.Kind.Field()} }

// runRound looks and sends. over: there is nothing left to wait for.
func (r *rounds) runRound(ctx context.Context) (over bool, err error) {
	if err := r.checkMay(ctx); err != nil {
		return false, err
	}
	f, err := r.findAndRecord(ctx)
	if err != nil {
		return false, err
	}
	r.released.Kept, r.released.Holds, r.released.OpenIntents = f.Kept, f.Holds, f.OpenIntents
	if err := FinishHandBacks(ctx, r.Cluster, f.Holds); err != nil {
		return false, err
	}
	todo := r.withTriesLeft(f.Edits)
	switch {
	case len(todo) > 0:
		return false, r.send(ctx, f, todo)
	case f.OpenIntents > 0 && r.Patience < 0:
		return true, nil
	case f.OpenIntents > 0 && r.idle < r.patience():
		return false, nil
	case f.OpenIntents > 0 || len(f.Edits) > 0:
		return false, fmt.Errorf("%d fields not given back, %d outcomes unknown: run release again%s", len(f.Edits), f.OpenIntents, r.lastError())
	}
	return true, nil
}

// lastError says why the last field that was not given back was not.
func (r *rounds) lastError() string {
	for i := len(r.released.Intents) - 1; i >= 0; i-- {
		if in := &r.released.Intents[i]; in.Error != "" {
			return fmt.Sprintf("; %v: %s", in.Edit, in.Error)
		}
	}
	return ""
}

func (r *rounds) patience() time.Duration {
	if r.Patience > 0 {
		return r.Patience
	}
	return patienceFor
}

// withTriesLeft returns the edits whose field was not tried too often yet.
func (r *rounds) withTriesLeft(edits []slurm.Edit) []slurm.Edit {
	var out []slurm.Edit
	for _, e := range edits {
		if r.tries[fieldOf(e)] < fieldTries {
			out = append(out, e)
		}
	}
	return out
}

// send writes the first edits down and sends them.
func (r *rounds) send(ctx context.Context, f *findings, todo []slurm.Edit) error {
	now, left := todo[:min(len(todo), roundEdits)], len(todo)
	for _, e := range now {
		r.tries[fieldOf(e)]++
	}
	planned, err := r.Journal.Intend(ctx, nil, ledger.UndoIntents(f.book, f.view, r.Name, r.Epoch, now))
	if err != nil {
		return fmt.Errorf("storing what is to be given back: %w", err)
	}
	p := Pusher{Ports: r.Ports, View: f.view, Book: f.book, May: r.checkMay, Report: func(n int) { r.report(n, left) }}
	sent, err := p.Push(ctx, planned)
	r.countTries(sent)
	if errors.Is(err, ErrFailing) && r.failed < maxFailed {
		r.failed++
		return nil
	}
	return err
}

// countTries keeps what came of a round's edits.
func (r *rounds) countTries(sent []bridge.Intent) {
	for i := range sent {
		in := &sent[i]
		at := fieldOf(in.Edit)
		if in.State == bridge.Planned { // never reached
			r.tries[at]--
			continue
		}
		if _, again := r.last[at]; !again {
			r.last[at] = len(r.released.Edits)
			r.released.Edits, r.released.Intents = append(r.released.Edits, in.Edit), append(r.released.Intents, *in)
		}
		r.released.Edits[r.last[at]], r.released.Intents[r.last[at]] = in.Edit, *in
		if in.State == bridge.Acked {
			r.pause, r.idle, r.failed = firstPause, 0, 0
		}
	}
}

func (r *rounds) report(n, left int) {
	if r.Report != nil {
		r.Report(len(r.released.Edits)+n, left-n)
	}
}

// wait lets time pass, longer each time that nothing came of the last look.
func (r *rounds) wait(ctx context.Context) error {
	wait := r.Wait
	if wait == nil {
		wait = sleep
	}
	if err := wait(ctx, r.pause); err != nil {
		return fmt.Errorf("interrupted: %d outcomes unknown, run release again: %w", r.released.OpenIntents, err)
	}
	r.idle += r.pause
	r.pause = min(2*r.pause, lastPause)
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
