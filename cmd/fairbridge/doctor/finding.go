package doctor

import "fmt"

// Level says how bad a finding is.
type Level string

// The levels.
const (
	OK   Level = "ok"
	Warn Level = "warn" // works, but not as well or as safely as it could
	Fail Level = "fail" // does not work
	Skip Level = "skip" // could not be looked at
)

// Finding is one line of the report.
type Finding struct {
	About string `json:"about"` // slurm, settings, database, probes, clock, …
	Level Level  `json:"level"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"`
}

// Report is everything found, in the order of looking.
type Report []Finding

// Bad reports whether anything does not work.
func (r Report) Bad() bool {
	for _, f := range r {
		if f.Level == Fail {
			return true
		}
	}
	return false
}

func (r *Report) ok(about, format string, a ...any) {
	*r = append(*r, Finding{About: about, Level: OK, Text: fmt.Sprintf(format, a...)})
}

func (r *Report) add(about string, l Level, fix, format string, a ...any) {
	*r = append(*r, Finding{About: about, Level: l, Text: fmt.Sprintf(format, a...), Fix: fix})
}
