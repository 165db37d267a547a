// Package shadow says what a plan of ours would have changed on a site's own past: its jobs
// run through the simulated Slurm alone and with the daemon's loop beside it, several times
// with other phases of Slurm's periodic work and jobs that arrive some seconds later. Before it claims anything it measures its own
// error, the simulation of what was done against what happened, and claims nothing that is
// smaller.
package shadow

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// Report is what a plan would have changed on one partition. Times are seconds.
type Report struct {
	Partition   string      `json:"partition"`
	Since       time.Time   `json:"since"`
	Until       time.Time   `json:"until"`
	Policy      string      `json:"policy"` // with its parameters
	Mode        bridge.Mode `json:"mode"`   // how much of a plan would have reached Slurm
	DecidedThen string      `json:"decided_then"`
	ClusterGPUs int         `json:"cluster_gpus"`
	SeedCount   int         `json:"seeds"`
	LearntJobs  int         `json:"learnt_jobs"` // that had ended before, and from which run times were known

	All          Group   `json:"all"`
	Accounts     []Group `json:"accounts"`
	Sizes        []Group `json:"sizes"`
	AccountSizes []Group `json:"account_sizes"`
	// Losers are the classes of jobs (user, name, GPUs) that would have waited longer, those that
	// would have lost the most time in all first.
	Losers []Group `json:"losers"`

	Ratios  []Ratio  `json:"ratios"`
	Stops   Range    `json:"stops"`          // of running jobs, in all the time
	Lost    Range    `json:"lost_gpu_hours"` // by those stops
	Writes  Range    `json:"writes"`         // to Slurm, stops among them
	Remarks []string `json:"not_simulated"`  // what was left out or assumed, in sentences
}

// Group is the jobs that some name stands for. A wait is all the time from arrival to the end
// in which a job did no work: until its first start, after a stop, and what a stop cost it.
type Group struct {
	Account  string `json:"account,omitempty"`
	Size     string `json:"size,omitempty"`
	Class    string `json:"class,omitempty"`
	JobCount int    `json:"jobs"`

	RealWait  float64 `json:"real_wait_s"`  // mean, as it was
	OwnError  float64 `json:"own_error_s"`  // of the simulation of what was done: simulated less real mean wait
	AloneWait float64 `json:"alone_wait_s"` // mean, simulated, under Slurm alone
	PlanWait  float64 `json:"plan_wait_s"`  // likewise with the plan
	Gain      float64 `json:"gain_s"`       // AloneWait less PlanWait
	Band      float64 `json:"band_s"`       // how far the gain may be off, on either side
	// EarlierCount and LaterCount are the jobs whose mean start moved by more than a minute and by
	// more than it moved between runs of Slurm alone.
	EarlierCount int   `json:"earlier_jobs"`
	LaterCount   int   `json:"later_jobs"`
	Claim        Claim `json:"claim"`

	aloneDeviation, planDeviation float64 // standard deviations of AloneWait and PlanWait among the runs
}

// Claim is what a report says of a group of jobs.
type Claim string

// The claims there are.
const (
	WaitsLess  Claim = "waits less"
	WaitsMore  Claim = "waits more"
	WaitsSame  Claim = "no change"   // within a minute, and the simulation is that exact
	CannotTell Claim = "cannot tell" // the simulation is further off than the change
)

// LeastChange is the change of a mean wait, in seconds, below which nobody cares.
const LeastChange = 60

// claimOf says what may be said of a gain that may be off by a band.
func claimOf(gain, band float64) Claim {
	switch {
	case gain > max(band, LeastChange):
		return WaitsLess
	case -gain > max(band, LeastChange):
		return WaitsMore
	case max(gain, -gain)+band <= LeastChange:
		return WaitsSame
	}
	return CannotTell
}

// Ratio is a figure of the plan over that of Slurm alone, of the jobs that count.
type Ratio struct {
	Key   string `json:"key"`
	Title string `json:"title"`
	Range
}

// Range is what a figure came to over the seeds.
type Range struct {
	Median   float64 `json:"median"`
	Least    float64 `json:"least"`
	Greatest float64 `json:"greatest"`
}

// HarmedAccounts are the accounts whose jobs would have waited longer, so far as that can be told.
func (r *Report) HarmedAccounts() []string {
	var names []string
	for i := range r.Accounts {
		if r.Accounts[i].Claim == WaitsMore {
			names = append(names, r.Accounts[i].Account)
		}
	}
	return names
}

// IsGain reports whether jobs would have waited less in the mean, and those of no account more,
// so far as can be told.
func (r *Report) IsGain() bool { return r.All.Claim == WaitsLess && len(r.HarmedAccounts()) == 0 }

// Summarize says the most important in a sentence or two.
func (r *Report) Summarize() string {
	g := &r.All
	who := policy.FormatCount(g.JobCount, "job") + " waited " + formatSeconds(g.RealWait) + " in the mean"
	off := fmt.Sprintf("the simulation of what was done is off by %s", formatSigned(g.OwnError))
	switch g.Claim {
	case CannotTell:
		return fmt.Sprintf("Cannot tell: %s; %s and the plan changes that by %s (± %s), which is not beyond doubt.", who, off, formatSigned(-g.Gain), formatSeconds(g.Band))
	case WaitsSame:
		return fmt.Sprintf("No change: %s; %s, and the plan changes that by less than a minute.", who, off)
	}
	said := map[Claim]string{WaitsLess: "Jobs would have waited less", WaitsMore: "Jobs would have waited more"}[g.Claim]
	return fmt.Sprintf("%s: %s; %s, and the plan changes that by %s (± %s).", said, who, off, formatSigned(-g.Gain), formatSeconds(g.Band))
}

// formatSeconds writes a duration as people say it.
func formatSeconds(s float64) string { return policy.FormatSeconds(s) }

// formatSigned is formatSeconds with the sign.
func formatSigned(s float64) string {
	if s < 0 {
		return "-" + formatSeconds(-s)
	}
	return "+" + formatSeconds(s)
}
