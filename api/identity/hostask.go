package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ask runs a command, or repeats what it said lately. The same is run once at a time, and only a few
// at once: while a directory service hangs, each takes until its time is over.
func (h *hostUsers) ask(ctx context.Context, name string, args ...string) (string, error) {
	key := name + "\x00" + strings.Join(args, "\x00")
	for {
		a, running, known := h.answerOrTurn(key)
		switch {
		case known:
			return a.text, a.err
		case running == nil:
			return h.runOnce(ctx, key, name, args)
		}
		select {
		case <-running:
		case <-ctx.Done():
			return "", fmt.Errorf("waiting for %s: %w", name, context.Cause(ctx))
		}
	}
}

// answerOrTurn returns what is known, or what to wait for while somebody else asks. Where it
// returns neither it is the caller's turn: runOnce must follow.
func (h *hostUsers) answerOrTurn(key string) (a hostAnswer, running <-chan struct{}, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a, ok := h.answers[key]; ok && h.now().Before(a.until) {
		return a, nil, true
	}
	if c, ok := h.asked[key]; ok {
		return a, c, false
	}
	h.asked[key] = make(chan struct{})
	return a, nil, false
}

// runOnce runs a command when it is its turn, and keeps what it says; not that who asked went away.
func (h *hostUsers) runOnce(ctx context.Context, key, name string, args []string) (text string, err error) {
	defer func() { h.keep(key, text, err, ctx.Err() == nil) }()
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return "", fmt.Errorf("waiting to run %s: %w", name, context.Cause(ctx))
	}
	return h.run(ctx, name, args...)
}

// keep notes what a command said, and lets those go on who wait for it.
func (h *hostUsers) keep(key, text string, err error, believed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.asked[key])
	delete(h.asked, key)
	if err != nil && !believed {
		return
	}
	life := failureLife
	if err == nil {
		life = knownLife
	} else if errors.Is(err, errNotThere) {
		life = unknownLife
	}
	if len(h.answers) >= maxAnswers {
		clear(h.answers)
	}
	h.answers[key] = hostAnswer{text, err, h.now().Add(life)}
}
