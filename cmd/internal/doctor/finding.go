package doctor

import (
	"fmt"
)

// Level says how bad a finding is.
type Level string

// The levels.
const (
	LevelOK   Level = "ok"
	LevelWarn Level = "warn" // works, but not as well or as safely as it could
	LevelFail Level = "fail" // does not work
	LevelSkip Level = "skip" // could not be looked at
)

// Finding is one line of the report.
type Finding struct {
	Subject string `json:"about"` // slurm, settings, database, probes, clock, …
	Level   Level  `json:"level"`
	Text    string `json:"text"`
	Fix     string `json:"fix,omitempty"`
	Form    Form   `json:"-"` // of Text, without what was filled in; "": not known
}

// Form is the format of a sentence. Only constants of this program become one, so that it holds no name of a site.
type Form string

// Report is everything found, in the order of looking.
type Report []Finding

// HasFailure reports whether anything does not work.
func (r Report) HasFailure() bool {
	for _, f := range r {
		if f.Level == LevelFail {
			return true
		}
	}
	return false
}

// Verdict sums the report up in a line.
func (r Report) Verdict() string {
	n := map[Level]int{}
	for _, f := range r {
		n[f.Level]++
	}
	switch {
	case n[LevelFail] > 0:
		return fmt.Sprintf("Something does not work: %d of %d findings.", n[LevelFail], len(r))
	case n[LevelWarn] > 0:
		return fmt.Sprintf("It works; %d of %d findings could be better.", n[LevelWarn], len(r))
	case n[LevelSkip] > 0:
		return fmt.Sprintf("It works; %d of %d findings could not be looked at.", n[LevelSkip], len(r))
	}
	return "All is well."
}

func (r *Report) addOK(about string, format Form, a ...any) {
	r.addFinding(about, LevelOK, "", format, a...)
}

func (r *Report) addFinding(about string, l Level, fix string, format Form, a ...any) {
	*r = append(*r, Finding{Subject: about, Level: l, Text: fmt.Sprintf(string(format), a...), Fix: fix, Form: format})
}
