package decode

import (
	"slices"

	"fairbridge/bridge/slurm"
)

// The most entries kept of errors and of warnings.
const maxProblems = 100

// envelope reads the outermost object of a reply. It reports whether key was
// there, with a value.
func (s *input) envelope(meta *slurm.Meta, key string, body func(*input)) (seen bool) {
	if c := s.Space(); c != '{' {
		s.foreign()
		return false
	}
	var keys []string
	s.Enter('{')
	for raw := s.Key(); raw != nil; raw = s.Key() {
		name := string(raw)
		s.Colon()
		if !s.surrounding(name, key) {
			s.Skip()
			continue
		}
		if slices.Contains(keys, name) {
			s.Fail("key %q twice in the reply", name)
			return false
		}
		keys = append(keys, name)
		switch name {
		case "meta":
			s.about(meta)
		case "last_update":
			meta.LastUpdate, _ = s.moment()
		case "errors":
			s.problems(func(p slurm.Problem) { meta.Errors = append(meta.Errors, p) })
		case "warnings":
			s.problems(func(p slurm.Problem) { meta.Warnings = append(meta.Warnings, p.Text) })
		default:
			if s.Space() == 'n' {
				s.Skip()
				continue
			}
			seen = true
			body(s)
		}
	}
	return seen
}

// surrounding reports whether a key of the outermost object is of interest.
func (s *input) surrounding(name, key string) bool {
	switch name {
	case "meta", "last_update", "errors", "warnings":
		return true
	case "results", "status":
		return key == ""
	}
	return name == key && key != ""
}

// foreign fails because the reply is no JSON object, and shows its beginning.
func (s *input) foreign() {
	if s.Err() != nil {
		return
	}
	b := s.Peek(200)
	switch {
	case len(b) == 0:
		s.Fail("the reply is empty")
	case b[0] == '<':
		s.Fail("an HTML page, not JSON, beginning %s: is there a proxy in between?", slurm.Excerpt(string(b)))
	default:
		s.Fail("no JSON object, but %s", slurm.Excerpt(string(b)))
	}
}

var slurmShape = shaped(
	lenient(word("release", func(m *slurm.Meta) *string { return &m.Release })),
	lenient(word("cluster", func(m *slurm.Meta) *string { return &m.Cluster })),
)

var metaShape = shaped(
	object("slurm", slurmShape, nothing[slurm.Meta]),
	object("Slurm", slurmShape, nothing[slurm.Meta]), // 22.05
)

// about reads who answered.
func (s *input) about(meta *slurm.Meta) {
	object("", metaShape, nothing[slurm.Meta]).read(s, meta)
}

// problem is an entry of errors or warnings while it is read.
type problem struct {
	number                   int64
	error, description, from string
}

var problemShape = shaped(
	problemNo("error_number"),
	problemNo("error_code"),
	problemNo("errno"),
	lenient(remarks("error", func(p *problem) *string { return &p.error })),
	lenient(remarks("description", func(p *problem) *string { return &p.description })),
	lenient(remarks("source", func(p *problem) *string { return &p.from })),
)

// problemNo makes the reader of one of the names of the error number, which
// may be negative.
func problemNo(name string) field[problem] {
	return field[problem]{name, func(s *input, p *problem) verdict {
		v, got := s.Number()
		if got == found {
			p.number = v
		}
		return got
	}}
}

// problems reads a list of errors or warnings. Whatever its form, an entry is
// never lost: it is the sign of failure.
func (s *input) problems(add func(slurm.Problem)) {
	if s.Space() != '[' {
		if c := s.Space(); c == 'n' || c == '"' {
			if text, got := s.remark(); got == found {
				add(slurm.Problem{Text: text})
			}
			return
		}
		s.Unexpected("a list")
		return
	}
	s.Enter('[')
	for n := 0; s.Next(']'); n++ {
		p := s.problem()
		if n < maxProblems {
			add(p)
		}
	}
}

// problem reads one entry, an object or a mere string.
func (s *input) problem() slurm.Problem {
	if s.Space() != '{' {
		text, got := s.remark()
		if got != found {
			text = "an entry of an unknown form"
		}
		return slurm.Problem{Text: text}
	}
	var p problem
	object("", problemShape, nothing[problem]).read(s, &p)
	out := slurm.Problem{Number: int(p.number), Text: p.description}
	for _, more := range []string{p.error, p.from} {
		if more != "" && more != out.Text {
			if out.Text != "" {
				out.Text += ", "
			}
			out.Text += more
		}
	}
	return out
}
