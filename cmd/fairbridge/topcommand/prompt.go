package topcommand

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/ask"
)

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
