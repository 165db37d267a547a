package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm/internal/hostnames"
)

// The most a hostlist may name, and the longest name, so that a few bytes from
// outside cannot become gigabytes.
const (
	maxHosts          = 100_000
	maxHostNameLength = 255
)

// ExpandHosts returns the names of a hostlist such as "n[01-04,7],rack[0-1]u[1-2]",
// sorted and without repetitions. "" and "(null)" name none. Lists of more
// than 100,000 names are refused.
func ExpandHosts(list string) ([]string, error) {
	if list == "" || list == "(null)" {
		return nil, nil
	}
	p := &hostParser{textParser: textParser{subject: "hostlist", text: list}}
	for {
		if err := p.parseTerm(); err != nil {
			return nil, err
		}
		if p.position == len(list) {
			slices.Sort(p.hosts)
			return slices.Compact(p.hosts), nil
		}
		p.position++ // the comma
	}
}

// Hosts is a hostlist, read once.
type Hosts struct {
	Text         string   // as Slurm writes it
	Names        []string // sorted, each once; shared by records: never written to
	UnreadReason string   // why the text cannot be read, and names no host; "" when it can
}

// ReadHosts reads a hostlist as ExpandHosts does.
func ReadHosts(text string) Hosts {
	names, err := ExpandHosts(text)
	return Hosts{Text: text, Names: names, UnreadReason: errorText(err)}
}

// CompressHosts returns the shortest hostlist of the kind Slurm writes, with
// ranges in the last number of a name: "n[01-04,7]". ExpandHosts gives the
// names back, sorted and without repetitions.
func CompressHosts(names []string) string { return hostnames.Compress(names) }

// HostsFromNames returns the hostlist of the names, in Slurm's short form.
func HostsFromNames(names []string) Hosts {
	if len(names) == 0 {
		return Hosts{}
	}
	names = slices.Clone(names)
	slices.Sort(names)
	return Hosts{Text: CompressHosts(names), Names: slices.Compact(names)}
}

// SameAs reports whether the list names exactly the nodes, in any order. One that
// cannot be read is the same as nothing.
func (h Hosts) SameAs(nodes []string) bool {
	if h.UnreadReason != "" {
		return false
	}
	nodes = slices.Clone(nodes)
	slices.Sort(nodes)
	return slices.Equal(h.Names, slices.Compact(nodes))
}

// IsZero reports whether the list is empty.
func (h Hosts) IsZero() bool { return h.Text == "" }

// String returns the text.
func (h Hosts) String() string { return h.Text }

// MarshalText writes the text.
func (h Hosts) MarshalText() ([]byte, error) { return []byte(h.Text), nil }

// UnmarshalText reads a hostlist. It never fails: what cannot be read is said in
// UnreadReason.
func (h *Hosts) UnmarshalText(text []byte) error {
	*h = ReadHosts(string(text))
	return nil
}

// errorText is the text of an error; "" without one.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// hostParser reads one hostlist.
type hostParser struct {
	textParser
	hosts []string
}

// parseTerm reads up to the next comma outside brackets: any mixture of plain
// characters and bracketed ranges, the last one varying fastest.
func (p *hostParser) parseTerm() error {
	from, names := p.position, []string{""}
	for p.position < len(p.text) && p.text[p.position] != ',' {
		var parts []string
		if p.text[p.position] == '[' {
			var err error
			if parts, err = p.parseRanges(); err != nil {
				return err
			}
		} else {
			parts = []string{p.parseWord()}
			if parts[0] == "" {
				return p.errorf("unexpected %q", p.text[p.position])
			}
		}
		if len(names)*len(parts)+len(p.hosts) > maxHosts {
			return p.errorf("more than %d names", maxHosts)
		}
		if names = combineNames(names, parts); len(names[0]) > maxHostNameLength {
			return p.errorf("a name of more than %d characters", maxHostNameLength)
		}
	}
	if p.position == from {
		return p.errorf("an empty name")
	}
	p.hosts = append(p.hosts, names...)
	return nil
}

// parseWord reads the plain characters of a name.
func (p *hostParser) parseWord() string {
	from := p.position
	for p.position < len(p.text) && isHostByte(p.text[p.position]) {
		p.position++
	}
	return p.text[from:p.position]
}

// parseRanges reads "[1-3,07,9]".
func (p *hostParser) parseRanges() ([]string, error) {
	var out []string
	for p.position++; ; p.position++ {
		lo, width, err := p.parseNumber()
		if err != nil {
			return nil, err
		}
		hi := lo
		if p.isNextByte('-') {
			p.position++
			if hi, _, err = p.parseNumber(); err != nil {
				return nil, err
			}
		}
		if hi < lo || hi-lo >= maxHosts-len(out) {
			return nil, p.errorf("the range %d-%d is reversed or too long", lo, hi)
		}
		for n := lo; n <= hi; n++ {
			out = append(out, formatZeroPadded(n, width))
		}
		if p.isNextByte(']') {
			p.position++
			return out, nil
		}
		if !p.isNextByte(',') {
			return nil, p.errorf("',' or ']' should be here")
		}
	}
}

// isHostByte reports whether c may be part of a host's name.
func isHostByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
		c == '-' || c == '_' || c == '.'
}

// combineNames returns every name followed by every part.
func combineNames(names, parts []string) []string {
	if len(names) == 1 && names[0] == "" {
		return parts
	}
	out := make([]string, 0, len(names)*len(parts))
	for _, n := range names {
		for _, p := range parts {
			out = append(out, n+p)
		}
	}
	return out
}

// formatZeroPadded prints n with at least width digits.
func formatZeroPadded(n, width int) string {
	s := strconv.Itoa(n)
	if len(s) < width {
		s = strings.Repeat("0", width-len(s)) + s
	}
	return s
}

// textParser is a string being parsed, for errors that say where.
type textParser struct {
	subject  string
	text     string
	position int
}

// isNextByte reports whether c is next.
func (t *textParser) isNextByte(c byte) bool {
	return t.position < len(t.text) && t.text[t.position] == c
}

// parseNumber reads decimal digits and returns their value and how many they were.
func (t *textParser) parseNumber() (n, width int, err error) {
	from := t.position
	for t.position < len(t.text) && '0' <= t.text[t.position] && t.text[t.position] <= '9' {
		t.position++
	}
	width = t.position - from
	if width == 0 {
		return 0, 0, t.errorf("a number should be here")
	}
	if width > 18 {
		return 0, 0, t.errorf("a number of more than 18 digits")
	}
	n, err = strconv.Atoi(t.text[from:t.position])
	return n, width, err
}

// errorf is an error at the current position.
func (t *textParser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s %s, position %d: %w", t.subject, QuoteExcerpt(t.text), t.position+1, fmt.Errorf(format, args...))
}

// QuoteExcerpt quotes s, shortened for a message.
func QuoteExcerpt(s string) string {
	const most = 80
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s)
}
