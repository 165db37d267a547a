package decode

import (
	"slices"

	"fairbridge/bridge/slurm"
)

// The most entries kept of errors and of warnings.
const maxProblems = 100

// readEnvelope reads the outermost object of a reply. It reports whether key was
// there, with a value.
func (s *replyInput) readEnvelope(meta *slurm.ReplyMeta, key string, body func(*replyInput)) (seen bool) {
	if c := s.SkipSpace(); c != '{' {
		s.failNotJSON()
		return false
	}
	var keys []string
	s.EnterBracket('{')
	for raw := s.ReadKey(); raw != nil; raw = s.ReadKey() {
		name := string(raw)
		s.SkipColon()
		if !s.isEnvelopeKey(name, key) {
			s.SkipValue()
			continue
		}
		if slices.Contains(keys, name) {
			s.Fail("key %q twice in the reply", name)
			return false
		}
		keys = append(keys, name)
		switch name {
		case "meta":
			s.readMeta(meta)
		case "last_update":
			meta.LastUpdate, _ = s.readTime()
		case "errors":
			s.readProblems(func(p slurm.Problem) { meta.Errors = append(meta.Errors, p) })
		case "warnings":
			s.readProblems(func(p slurm.Problem) { meta.Warnings = append(meta.Warnings, p.Text) })
		default:
			if s.SkipSpace() == 'n' {
				s.SkipValue()
				continue
			}
			seen = true
			body(s)
		}
	}
	return seen
}

// isEnvelopeKey reports whether a key of the outermost object is of interest.
func (s *replyInput) isEnvelopeKey(name, key string) bool {
	switch name {
	case "meta", "last_update", "errors", "warnings":
		return true
	case "results", "status":
		return key == ""
	}
	return name == key && key != ""
}

// failNotJSON fails because the reply is no JSON object, and shows its beginning.
func (s *replyInput) failNotJSON() {
	if s.Err() != nil {
		return
	}
	b := s.Peek(200)
	switch {
	case len(b) == 0:
		s.Fail("the reply is empty")
	case b[0] == '<':
		s.Fail("an HTML page, not JSON, beginning %s: is there a proxy in between?", slurm.QuoteExcerpt(string(b)))
	default:
		s.Fail("no JSON object, but %s", slurm.QuoteExcerpt(string(b)))
	}
}

var metaSlurmSchema = newRecordSchema(
	optionalField(sharedStringField("release", func(m *slurm.ReplyMeta) *string { return &m.Release })),
	optionalField(sharedStringField("cluster", func(m *slurm.ReplyMeta) *string { return &m.Cluster })),
)

var metaSchema = newRecordSchema(
	objectField("slurm", metaSlurmSchema, skipValue[slurm.ReplyMeta]),
	objectField("Slurm", metaSlurmSchema, skipValue[slurm.ReplyMeta]), // 22.05
)

// readMeta reads who answered.
func (s *replyInput) readMeta(meta *slurm.ReplyMeta) {
	objectField("", metaSchema, skipValue[slurm.ReplyMeta]).read(s, meta)
}

// problemRecord is an entry of errors or warnings while it is read.
type problemRecord struct {
	number                     int64
	error, description, source string
}

var problemSchema = newRecordSchema(
	problemNumberField("error_number"),
	problemNumberField("error_code"),
	problemNumberField("errno"),
	optionalField(humanTextField("error", func(p *problemRecord) *string { return &p.error })),
	optionalField(humanTextField("description", func(p *problemRecord) *string { return &p.description })),
	optionalField(humanTextField("source", func(p *problemRecord) *string { return &p.source })),
)

// problemNumberField makes the reader of one of the names of the error number, which
// may be negative.
func problemNumberField(name string) recordField[problemRecord] {
	return recordField[problemRecord]{name, func(s *replyInput, p *problemRecord) valueStatus {
		v, got := s.ReadNumber()
		if got == statusFound {
			p.number = v
		}
		return got
	}}
}

// readProblems reads a list of errors or warnings. Whatever its form, an entry is
// never lost: it is the sign of failure.
func (s *replyInput) readProblems(add func(slurm.Problem)) {
	if s.SkipSpace() != '[' {
		if c := s.SkipSpace(); c == 'n' || c == '"' {
			if text, got := s.readHumanText(); got == statusFound {
				add(slurm.Problem{Text: text})
			}
			return
		}
		s.FailUnexpected("a list")
		return
	}
	s.EnterBracket('[')
	for n := 0; s.NextItem(']'); n++ {
		p := s.readProblem()
		if n < maxProblems {
			add(p)
		}
	}
}

// readProblem reads one entry, an object or a mere string.
func (s *replyInput) readProblem() slurm.Problem {
	if s.SkipSpace() != '{' {
		text, got := s.readHumanText()
		if got != statusFound {
			text = "an entry of an unknown form"
		}
		return slurm.Problem{Text: text}
	}
	var p problemRecord
	objectField("", problemSchema, skipValue[problemRecord]).read(s, &p)
	out := slurm.Problem{ErrorNumber: int(p.number), Text: p.description}
	for _, more := range []string{p.error, p.source} {
		if more != "" && more != out.Text {
			if out.Text != "" {
				out.Text += ", "
			}
			out.Text += more
		}
	}
	return out
}
