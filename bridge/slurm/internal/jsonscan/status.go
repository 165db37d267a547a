package jsonscan

// Status says what was found where a value should be.
type Status uint8

// The verdicts.
const (
	StatusAbsent     Status = iota // null, not set, or Slurm's "no value"
	StatusFound                    // a value
	StatusInfinite                 // no limit
	StatusUnreadable               // something of another kind
)
