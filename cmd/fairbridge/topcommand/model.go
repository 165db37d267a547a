package topcommand

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// model is the whole state of the screen.
type model struct {
	effects
	circumstances
	where         string        // whence answers come, in a few words
	interval      time.Duration // between an answer and the next question
	hasColours    bool
	width, height int

	pages    []*page // the last is shown, esc goes back to the one before
	pictures pictures

	prompt  prompt
	message string // what came of a key; "": nothing to say
}

// newModel makes a screen that shows a view.
func newModel(e effects, first *subject, now time.Time) *model {
	m := &model{effects: e, interval: defaultInterval, width: 80, height: 24, pictures: pictures{}}
	m.now = now
	m.pages = []*page{{subject: first}}
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return tea.Batch(m.askIfDue(), m.tick()) }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var next tea.Cmd
	switch msg := msg.(type) {
	case clockMsg:
		m.now = time.Time(msg)
		next = tea.Batch(m.askIfDue(), m.tick())
	case answerMsg:
		m.pictures.of(msg.name).take(msg)
		if msg.at.After(m.now) {
			m.now = msg.at
		}
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		m.message = ""
		if m.prompt.kind == 0 && m.move(msg.String()) { // nothing else has changed
			m.shown().scroll(m.room())
			return m, nil
		}
		next = m.press(msg)
	case tea.PasteMsg:
		m.prompt.add(msg.Content)
	default:
		return m, nil
	}
	m.refill()
	return m, next
}

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	v.WindowTitle = "fairbridge top"
	return v
}

// shown is the page that is shown.
func (m *model) shown() *page { return m.pages[len(m.pages)-1] }

// askIfDue asks about what is shown where it is time to.
func (m *model) askIfDue() tea.Cmd {
	s := m.shown().subject
	p := m.pictures.of(s.name)
	if s.read == nil || !p.isDue(m.now, max(m.interval, s.every)) {
		return nil
	}
	p.askedAt = m.now
	return m.ask(s)
}

// refill brings what is shown up to date.
func (m *model) refill() {
	p := m.shown()
	if m.prompt.kind == '/' { // what is typed counts at once
		p.filter = m.prompt.text
	}
	p.fill(m.pictures.of(p.name).answer, m.circumstances, m.width)
	p.scroll(m.room())
}

// open shows a subject over what is shown.
func (m *model) open(s *subject) tea.Cmd {
	m.pages = append(m.pages, &page{subject: s})
	return m.askIfDue()
}

// call shows a view in place of all that is shown.
func (m *model) call(s *subject) tea.Cmd {
	m.pages = []*page{{subject: s}}
	return m.askIfDue()
}
