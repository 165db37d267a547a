package oracle

import (
	"fmt"
	"time"
)

// Breach is a sentence that was not true.
type Breach struct {
	Rule    string // I1 to I27, or the name of an end condition
	Job     int64  // 0: none
	Elapsed time.Duration
	Why     string
}

// String prints the breach in a line.
func (b Breach) String() string {
	return fmt.Sprintf("%s at %v, job %d: %s", b.Rule, b.Elapsed.Truncate(time.Millisecond), b.Job, b.Why)
}

// Verdict is what the oracle saw and found.
type Verdict struct {
	Breaches               []Breach       // in order, the first ten
	KnownBreachCountByRule map[string]int // breaches of rules that are known to be broken, by rule
	SentCountByKind        map[string]int // writes, by kind of edit
	DoubtCountByCause      map[string]int // cycles in doubt, by cause
	JobCount               int            // submitted
	StopCount              int            // requeues of ours that Slurm carried out
	IdleStopCount          int            // of requeues that were sent, those of jobs whose GPUs did no work
	SharedCount            int            // GPUs on which jobs were together by shards of ours, summed over the cycles
}

func newVerdict() Verdict {
	return Verdict{KnownBreachCountByRule: map[string]int{}, SentCountByKind: map[string]int{}, DoubtCountByCause: map[string]int{}}
}

// maxKeptBreaches is how many breaches are kept.
const maxKeptBreaches = 10

// Verdict returns what was found so far.
func (o *Oracle) Verdict() Verdict {
	v := o.verdict
	v.JobCount, v.StopCount = len(o.jobBook.entryByJob), len(o.stops)
	return v
}

// HasBreach reports whether a sentence was broken.
func (o *Oracle) HasBreach() bool { return len(o.verdict.Breaches) > 0 }

// AddBreach notes that a rule was broken: for a job, 0 for none, and why.
func (o *Oracle) AddBreach(rule string, job int64, format string, a ...any) {
	if o.IsKnownBreach != nil && o.IsKnownBreach(rule) {
		o.verdict.KnownBreachCountByRule[rule]++
		return
	}
	b := Breach{rule, job, o.World.Now().Sub(o.startTime), fmt.Sprintf(format, a...)}
	if len(o.verdict.Breaches) < maxKeptBreaches {
		o.verdict.Breaches = append(o.verdict.Breaches, b)
	}
	o.OnBreach(b)
}
