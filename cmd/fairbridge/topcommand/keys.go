package topcommand

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
)

// press does what a key says.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	if key.String() == "ctrl+c" {
		return tea.Quit
	}
	if m.prompt.kind != 0 {
		return m.typeKey(key)
	}
	switch key.String() {
	case "q":
		return tea.Quit
	case "/":
		m.prompt = prompt{kind: '/', before: m.shown().filter}
	case ":":
		m.prompt = prompt{kind: ':'}
	case "?":
		if m.shown().subject != helpPage {
			return m.open(helpPage)
		}
	case "esc":
		m.goBack()
		return m.askIfDue()
	case "r":
		m.pictures.of(m.shown().name).doneAt = time.Time{}
		return m.askIfDue()
	case "e", "enter":
		return m.explain(key.String() == "enter")
	case "d":
		return m.showDetails()
	}
	return nil
}

// move moves the cursor by a key, or what is shown of a text; false: the key is another.
func (m *model) move(key string) bool {
	p, room := m.shown(), m.room()
	switch key {
	case "down", "j":
		p.moveTo(p.cursor + 1)
	case "up", "k":
		p.moveTo(p.cursor - 1)
	case "pgdown", "ctrl+f", "space":
		p.moveTo(p.cursor + room)
	case "pgup", "ctrl+b":
		p.moveTo(p.cursor - room)
	case "home", "g":
		p.moveTo(0)
	case "end", "G":
		p.moveTo(len(p.rows) - 1)
	default:
		return false
	}
	return true
}

// goBack ends the filter, or else goes to the page before.
func (m *model) goBack() {
	switch p := m.shown(); {
	case p.filter != "":
		p.filter = ""
	case len(m.pages) > 1:
		m.pages = m.pages[:len(m.pages)-1]
	}
}

// explain tells the story of the chosen row's job; enter shows the details of a row without one.
func (m *model) explain(isEnter bool) tea.Cmd {
	switch r := m.shown().chosen(); {
	case r != nil && r.about.IsJob:
		return m.open(newExplanation(r.about.About))
	case r != nil && isEnter:
		return m.showDetails()
	case r != nil:
		m.message = "This row is about no one job: d shows its details."
	}
	return nil
}

// showDetails shows all of the chosen row: of a job how it used what it got.
func (m *model) showDetails() tea.Cmd {
	p := m.shown()
	r := p.chosen()
	switch {
	case r == nil:
		return nil
	case r.about.IsJob && (p.name == "queue" || p.name == "jobs"):
		return m.open(newJobUse(r.about.About))
	}
	answer, chosen := m.pictures.of(p.name).answer, *r
	return m.open(newFixedText("details of "+p.name+" "+chosen.key, func(w io.Writer) {
		for i, c := range chosen.cells {
			output.WriteParagraph(w, printable.Truncate(p.head[i], 16)+": ", c.Text)
		}
		if p.details != nil {
			printable.Fprintf(w, "\n")
			p.details(w, answer, chosen.about.About)
		}
	}))
}
