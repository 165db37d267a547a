package oracle

import (
	"fmt"
	"time"
)

// Breach is a sentence that was not true.
type Breach struct {
	Rule string // I1 to I22, or the name of an end condition
	Job  int64  // 0: none
	At   time.Duration
	Why  string
}

// String prints the breach in a line.
func (b Breach) String() string {
	return fmt.Sprintf("%s at %v, job %d: %s", b.Rule, b.At.Truncate(time.Millisecond), b.Job, b.Why)
}

// Verdict is what the oracle saw and found.
type Verdict struct {
	Breaches []Breach       // in order, the first ten
	Residue  map[string]int // breaches of rules that are known to be broken, by rule
	Sent     map[string]int // writes, by kind of edit
	Doubts   map[string]int // cycles in doubt, by cause
	Jobs     int            // submitted
	Stops    int            // requeues of ours that Slurm carried out
}

func newVerdict() Verdict {
	return Verdict{Residue: map[string]int{}, Sent: map[string]int{}, Doubts: map[string]int{}}
}

// maxBreaches is how many breaches are kept.
const maxBreaches = 10

// Verdict returns what was found so far.
func (o *Oracle) Verdict() Verdict {
	v := o.verdict
	v.Jobs, v.Stops = len(o.book.jobs), len(o.stops)
	return v
}

// Broken reports whether a sentence was broken.
func (o *Oracle) Broken() bool { return len(o.verdict.Breaches) > 0 }

// Breach notes that a rule was broken: for a job, 0 for none, and why.
func (o *Oracle) Breach(rule string, job int64, format string, a ...any) {
	if o.Known != nil && o.Known(rule) {
		o.verdict.Residue[rule]++
		return
	}
	b := Breach{rule, job, o.World.Now().Sub(o.began), fmt.Sprintf(format, a...)}
	if len(o.verdict.Breaches) < maxBreaches {
		o.verdict.Breaches = append(o.verdict.Breaches, b)
	}
	o.Breached(b)
}
