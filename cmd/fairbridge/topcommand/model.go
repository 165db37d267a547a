package topcommand

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/ask"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
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

// prompt is what is being typed in the last line.
type prompt struct {
	kind   rune // '/' a filter, ':' a view; 0: nothing is
	text   string
	before string // the filter that stood before
}

// maxPromptChars is how much may be typed.
const maxPromptChars = 100

// add appends what was typed, as far as it is harmless.
func (p *prompt) add(text string) {
	if p.kind != 0 && len(p.text)+len(text) <= maxPromptChars && printable.Text(text) == text {
		p.text += text
	}
}

// typeKey takes a key while something is typed.
func (m *model) typeKey(key tea.KeyPressMsg) tea.Cmd {
	p := &m.prompt
	switch key.String() {
	case "esc":
		if p.kind == '/' {
			m.shown().filter = p.before
		}
		*p = prompt{}
	case "enter":
		return m.enterPrompt()
	case "backspace":
		if r := []rune(p.text); len(r) > 0 {
			p.text = string(r[:len(r)-1])
		} else {
			*p = prompt{}
		}
	case "ctrl+u":
		p.text = ""
	case "tab":
		if s := findView(p.text); p.kind == ':' && s != nil {
			p.text = s.name
		}
	default:
		p.add(key.Text)
	}
	return nil
}

// enterPrompt does what was typed.
func (m *model) enterPrompt() tea.Cmd {
	p := m.prompt
	m.prompt = prompt{}
	if p.kind == '/' {
		m.shown().filter = p.text
		return nil
	}
	return m.run(strings.TrimSpace(p.text))
}

// run does what stands behind a colon.
func (m *model) run(line string) tea.Cmd {
	word, address, _ := strings.Cut(line, " ")
	address = strings.TrimSpace(address)
	switch s := findView(word); {
	case word == "":
		return nil
	case (word == "q" || word == "quit") && address == "":
		return tea.Quit
	case (word == "explain" || word == "job") && address != "":
		if err := ask.CheckAddress(address); err != nil {
			m.message = err.Error()
			return nil
		}
		if word == "job" {
			return m.open(newJobUse(address))
		}
		return m.open(newExplanation(address))
	case (word == "?" || word == "help") && address == "":
		return m.open(helpPage)
	case s != nil && address == "":
		return m.call(s)
	}
	m.message = "There is no view " + printable.Truncate(line, 30) + ": ? lists them."
	return nil
}

// picture is what is known of a subject: the last answer, and what came of questions since.
type picture struct {
	answer   any       // nil: none yet
	at       time.Time // when that was there
	err      error     // of the last question; nil: it was answered
	failedAt time.Time // since when questions go unanswered; zero: the last was answered
	askedAt  time.Time // when the question that is under way was asked; zero: none is
	doneAt   time.Time // when the last question was answered, or was not
}

// isDue reports whether it is time to ask again.
func (p *picture) isDue(now time.Time, interval time.Duration) bool {
	return p.askedAt.IsZero() && (p.doneAt.IsZero() || now.Sub(p.doneAt) >= interval)
}

// take keeps an answer. After an error the last picture stays.
func (p *picture) take(m answerMsg) {
	p.err, p.doneAt = m.err, m.at
	if m.err == nil {
		p.answer, p.at, p.failedAt = m.value, m.at, time.Time{}
	} else if p.failedAt.IsZero() {
		p.failedAt = p.askedAt
	}
	p.askedAt = time.Time{}
}

// slowAfter is after which time at the earliest an answer is said to be missing.
const slowAfter = 3 * time.Second

// staleText says since when the picture is old, and why; "": it is not.
func (p *picture) staleText(now time.Time, interval time.Duration) string {
	since, why := p.failedAt, "no answer yet"
	switch {
	case p.err != nil:
		why = p.err.Error()
	case !p.askedAt.IsZero() && now.Sub(p.askedAt) >= max(interval, slowAfter):
		since = p.askedAt
	default:
		return ""
	}
	text := fmt.Sprintf("not answered since %s, %s: %s", output.FormatTime(since, now), output.FormatAge(now, since), why)
	if p.answer == nil {
		return "Not known: " + text
	}
	return fmt.Sprintf("STALE, from %s: %s", output.FormatTime(p.at, now), text)
}

// pictures are what is known of subjects, by their names.
type pictures map[string]*picture

// of is what is known of a subject, which may be nothing.
func (all pictures) of(name string) *picture {
	if all[name] == nil {
		all[name] = &picture{}
	}
	return all[name]
}

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
