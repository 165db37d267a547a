package jsonscan

// Status says what was found where a value should be.
type Status uint8

// The verdicts.
const (
	Absent     Status = iota // null, not set, or Slurm's "no value"
	Found                    // a value
	Infinite                 // no limit
	Unreadable               // something of another kind
)
