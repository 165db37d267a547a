package bridge

import (
	"fmt"
	"time"

	"fairbridge/policy"
)

// RunBegin says how a run began that follows a requeue, and how long it had run at its report. It
// is told only of runs that were watched since their begin: of others the first report may be missed.
type RunBegin struct {
	Account    string
	Restarts   int           // requeues of the job before the run
	EligibleAt time.Time     // it could have started then; what it waited after that is no cost of the restart
	RanFor     time.Duration // from its start to the report
}

// RestartCost is what restarts cost jobs: the time without progress that one takes, as measured.
type RestartCost struct {
	Cost  time.Duration // one that few restarts exceed; 0: not measured
	Count int           // of restarts it was measured on
	Whose string        // of which jobs those were, such as "class resnet" or "account vision"
}

// String says what the cost rests on.
func (c RestartCost) String() string {
	return fmt.Sprintf("measured on %s of %s", policy.FormatCount(c.Count, "restart"), c.Whose)
}

// defaultRestartCost is what a restart costs a job of which nobody knows better. It is more than
// checkpoint, requeue delay and start take of most: too much keeps a job as it is, which harms nobody.
const defaultRestartCost = 5 * time.Minute

// AssumedRestartCost is what a change of its size counts for a job whose restart cost neither its
// owner says nor was measured: RestartCost, and never nothing.
func (b *Budgets) AssumedRestartCost() time.Duration {
	if b.RestartCost > 0 {
		return b.RestartCost
	}
	return defaultRestartCost
}
