package topcommand

import (
	"fmt"
	"time"

	"fairbridge/cmd/internal/output"
)

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
