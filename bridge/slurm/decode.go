package slurm

import "time"

// Meta is what surrounds every list slurmrestd sends.
type Meta struct {
	Release    string    // "26.05.5"
	Cluster    string    // "" on releases that do not say
	LastUpdate time.Time // of the list; zero when absent or "nothing changed"
	Errors     []Problem // non-empty means failure, whatever the HTTP status
	Warnings   []string
}

// Problem is one entry of errors[] of a reply.
type Problem struct {
	Number int
	Text   string // description and source, cleaned and bounded
}

// TaskState is one line of jobs/state/: a job, or one task of an array, and
// its state words.
type TaskState struct {
	Job   int64
	Task  int64 // valid when Array
	Array bool
	State string   // base state
	Flags []string // sorted
}
