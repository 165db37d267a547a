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
	maxHalts    = 3               // rounds in a row that every call of failed
	patienceFor = 5 * time.Minute // default of Releaser.Patience
)

// Release gives back, round after round, until polls show that nothing is left
// that can be. Beside an error there is what was done all the same.
func (r *Releaser) Release(ctx context.Context) (*Released, error) {
	g := &giving{Releaser: r, all: &Released{}, tries: map[fieldOfJob]int{}, at: map[fieldOfJob]int{}, pause: firstPause}
	for {
		over, err := g.round(ctx)
		if over || err != nil {
			return g.all, err
		}
		if err := g.rest(ctx); err != nil {
			return g.all, err
		}
	}
}

// giving is a release under way.
type giving struct {
	*Releaser
	all   *Released
	tries map[fieldOfJob]int
	at    map[fieldOfJob]int // where in all its last edit is
	pause time.Duration
	idle  time.Duration // since the last edit that Slurm said yes to
	halts int
}

type fieldOfJob struct {
	run   slurm.Run
	field slurm.Field
}

func fieldOf(e slurm.Edit) fieldOfJob { return fieldOfJob{e.Run, e.Kind.Field()} }

// round looks and sends. over: there is nothing left to wait for.
func (g *giving) round(ctx context.Context) (over bool, err error) {
	if err := g.may(ctx); err != nil {
		return false, err
	}
	f, err := g.record(ctx)
	if err != nil {
		return false, err
	}
	g.all.Kept, g.all.Holds, g.all.Open = f.Kept, f.Holds, f.Open
	if err := FinishHandBacks(ctx, g.Cluster, f.Holds); err != nil {
		return false, err
	}
	todo := g.untried(f.Edits)
	switch {
	case len(todo) > 0:
		return false, g.send(ctx, f, todo)
	case f.Open > 0 && g.Patience < 0:
		return true, nil
	case f.Open > 0 && g.idle < g.patience():
		return false, nil
	case f.Open > 0 || len(f.Edits) > 0:
		return false, fmt.Errorf("%d fields not given back, %d outcomes unknown: run release again%s", len(f.Edits), f.Open, g.lastError())
	}
	return true, nil
}

// lastError says why the last field that was not given back was not.
func (g *giving) lastError() string {
	for i := len(g.all.Intents) - 1; i >= 0; i-- {
		if in := &g.all.Intents[i]; in.Error != "" {
			return fmt.Sprintf("; %v: %s", in.Edit, in.Error)
		}
	}
	return ""
}

func (g *giving) patience() time.Duration {
	if g.Patience > 0 {
		return g.Patience
	}
	return patienceFor
}

// untried returns the edits whose field was not tried too often yet.
func (g *giving) untried(edits []slurm.Edit) []slurm.Edit {
	var out []slurm.Edit
	for _, e := range edits {
		if g.tries[fieldOf(e)] < fieldTries {
			out = append(out, e)
		}
	}
	return out
}

// send writes the first edits down and sends them.
func (g *giving) send(ctx context.Context, f *found, todo []slurm.Edit) error {
	now, left := todo[:min(len(todo), roundEdits)], len(todo)
	for _, e := range now {
		g.tries[fieldOf(e)]++
	}
	planned, err := g.Journal.Intend(ctx, nil, ledger.Undoing(f.book, f.view, g.Name, g.Epoch, now))
	if err != nil {
		return fmt.Errorf("storing what is to be given back: %w", err)
	}
	p := Pusher{Ports: g.Ports, View: f.view, Book: f.book, May: g.may, Told: func(n int) { g.tell(n, left) }}
	sent, err := p.Push(ctx, planned)
	g.book(sent)
	if errors.Is(err, ErrFailing) && g.halts < maxHalts {
		g.halts++
		return nil
	}
	return err
}

// book notes what came of a round's edits.
func (g *giving) book(sent []bridge.Intent) {
	for i := range sent {
		in := &sent[i]
		at := fieldOf(in.Edit)
		if in.State == bridge.Planned { // never reached
			g.tries[at]--
			continue
		}
		if _, again := g.at[at]; !again {
			g.at[at] = len(g.all.Edits)
			g.all.Edits, g.all.Intents = append(g.all.Edits, in.Edit), append(g.all.Intents, *in)
		}
		g.all.Edits[g.at[at]], g.all.Intents[g.at[at]] = in.Edit, *in
		if in.State == bridge.Acked {
			g.pause, g.idle, g.halts = firstPause, 0, 0
		}
	}
}

func (g *giving) tell(n, left int) {
	if g.Tell != nil {
		g.Tell(len(g.all.Edits)+n, left-n)
	}
}

// rest lets time pass, longer each time that nothing came of the last look.
func (g *giving) rest(ctx context.Context) error {
	wait := g.Wait
	if wait == nil {
		wait = pass
	}
	if err := wait(ctx, g.pause); err != nil {
		return fmt.Errorf("interrupted: %d outcomes unknown, run release again: %w", g.all.Open, err)
	}
	g.idle += g.pause
	g.pause = min(2*g.pause, lastPause)
	return nil
}

// pass waits in real time.
func pass(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
