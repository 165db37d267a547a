package topcommand

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// clockMsg says what time it is.
type clockMsg time.Time

// answerMsg is what came of a question about a subject.
type answerMsg struct {
	name  string
	value any // where there is no error
	err   error
	at    time.Time // when it was there
}

// effects is what the model wants done that it cannot do itself.
type effects interface {
	// ask returns what asks about a subject, and ends in an answerMsg.
	ask(s *subject) tea.Cmd
	// tick returns what waits a second, and ends in a clockMsg.
	tick() tea.Cmd
}
