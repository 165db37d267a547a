package scan

// Verdict says what was found where a value should be.
type Verdict uint8

// The verdicts.
const (
	Absent     Verdict = iota // null, not set, or Slurm's "no value"
	Found                     // a value
	Infinite                  // no limit
	Unreadable                // something of another kind
)
