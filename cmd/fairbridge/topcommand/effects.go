package topcommand

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"fairbridge/cmd/internal/source"
)

// Times of the screen. An answer takes the daemon 20 seconds at most, after which it gives it up.
const (
	defaultInterval = 5 * time.Second
	answerTimeout   = 25 * time.Second
	tickEvery       = time.Second
)

// asker does what the model wants done.
type asker struct {
	ctx    context.Context // ends all that is asked
	source source.Source
	now    func() time.Time
}

// ask implements effects.
func (a *asker) ask(s *subject) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, answerTimeout)
		defer cancel()
		value, err := s.read(ctx, a.source, a.now())
		return answerMsg{name: s.name, value: value, err: err, at: a.now()}
	}
}

// tick implements effects.
func (a *asker) tick() tea.Cmd {
	return tea.Tick(tickEvery, func(time.Time) tea.Msg { return clockMsg(a.now()) })
}
