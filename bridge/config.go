package bridge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Accepts reports whether the owner or the site made the job preemptible. One that runs on what others leave says so
// by that.
func (o OptIn) Accepts(j *slurm.Job) bool {
	return o.Comment && (j.Directive.Preemptible || j.Directive.Opportunistic) || slices.Contains(o.QOS, j.QOS) ||
		slices.Contains(o.Accounts, j.Account) || slices.Contains(o.Partitions, j.PartitionText())
}

// Config is what the loop is told: nouns, with the bounds that the loop needs. The
// configuration file, its keys and defaults are those of package settings (cmd/settings),
// which makes a Config of it; only Order, Lease, OptIn and Budgets stand in the file as
// they stand here, so their keys (tags), defaults and bounds are here. Durations are
// wall-clock.
type Config struct {
	ClusterName      string // Slurm's cluster name; checked against what Slurm says
	DaemonName       string // this daemon's name in the leader row
	Interval         time.Duration
	CycleDeadline    time.Duration // of one cycle; 0: the interval
	Partitions       []Partition
	Order            Order
	Lease            Lease
	PinsStartingJobs bool           // name nodes for jobs about to start
	PreemptOptIn     OptIn          // who may be requeued
	SiteGPUSpeeds    []policy.Speed // of GPU types, sorted: what the site knows better than policy.DataSheetSpeed
	// BillingWeights are what GPUs are charged in what accounts used. The database that the daemon stores them
	// in goes by them, as simulations do; the loop itself reads use that is charged already.
	BillingWeights policy.BillingWeights
	Budgets        Budgets       // budgets
	StopFile       string        // while it exists nothing is pushed
	LeaderTTL      time.Duration // length of the leadership lease; 0: three intervals
	WarmupPolls    int           // good polls after a start or a fault before anything is pushed
}

// Partition is one partition under one policy.
type Partition struct {
	Name           string
	Mode           Mode
	PlanAs         Mode   // mode the policy plans for; "": Mode, or preempt while observing
	Policy         string // catalogue name
	Params         string // printed parameters, for the record
	DecidingPolicy policy.Policy
	// SharesBetweenUsers says that jobs of different users may share a GPU where both their owners said so.
	SharesBetweenUsers bool
	// StopIdleAfter is how long all GPUs of a job must have done no work before it is requeued for one that waits, where
	// its owner said fairbridge:idle=requeue; 0: none is.
	StopIdleAfter time.Duration
	// DeadlineBudgets are granted beyond the shares of accounts, those of accounts first, each sorted by name.
	DeadlineBudgets []policy.DeadlineBudget
	// Services are the inference services that jobs may declare, those of a name before those of any.
	Services []Service
	// Canary is what decides in its place on some days; nil: nothing does.
	Canary *Canary

	// Warning is how a job's script is warned before a requeue, where its owner does
	// not say otherwise. Grace 0: not at all; Signal "": CONT, which ends no script,
	// or USR1 where the owner asked for a warning.
	Warning Notice
}

// Service is what an administrator grants an account for its inference services, one or all of them.
type Service struct {
	Account string                // whose jobs may declare it
	Name    string                // that they declare; "": any
	Terms   policy.ReplicaScaling // what is promised, without what is seen of requests
}

// ServiceOf returns what holds for the service that a job declares; nil: nothing was granted for it.
func (p *Partition) ServiceOf(j *slurm.Job) *Service {
	i := slices.IndexFunc(p.Services, func(s Service) bool {
		return s.Account == j.Account && (s.Name == j.Directive.Service || s.Name == "")
	})
	if j.Directive.Service == "" || i < 0 {
		return nil
	}
	return &p.Services[i]
}

// PlanMode returns the mode the policy plans for.
func (p *Partition) PlanMode() Mode {
	switch {
	case p.PlanAs != "":
		return p.PlanAs
	case p.Mode == ModeObserve:
		return ModePreempt
	}
	return p.Mode
}

// checkStopIdleAfter says why jobs with idle GPUs cannot be stopped so.
func (p *Partition) checkStopIdleAfter(c *Budgets) error {
	switch {
	case p.StopIdleAfter == 0:
		return nil
	case !p.PlanMode().Allows(ModePreempt):
		return fmt.Errorf("jobs are requeued in mode preempt and above; the mode is %s", p.PlanMode())
	case p.StopIdleAfter < c.IdleMin:
		return fmt.Errorf("%v is less than gate.idle_min, %v", p.StopIdleAfter, c.IdleMin)
	}
	return nil
}

// Lever is the field of Slurm that carries our order.
type Lever string

// The levers. Auto is site_factor where the API has it, else nice.
const (
	LeverAuto       Lever = "auto"
	LeverSiteFactor Lever = "site_factor"
	LeverNice       Lever = "nice"
	LeverPriority   Lever = "priority"
)

var orderLevers = []Lever{LeverAuto, LeverSiteFactor, LeverNice, LeverPriority}

// OrderStrength says how far our order wins over Slurm's.
type OrderStrength string

// The strengths.
const (
	StrengthWithinQOS OrderStrength = "within_qos" // among jobs of one QOS and partition tier; across them Slurm's own order stands
	StrengthBlend     OrderStrength = "blend"      // likewise, a fifth of the way
	StrengthOverride  OrderStrength = "override"   // across QOS too
)

var orderStrengths = []OrderStrength{StrengthWithinQOS, StrengthBlend, StrengthOverride}

// Order says how ranks become numbers in Slurm.
type Order struct {
	Lever    Lever         `yaml:"lever"`
	Strength OrderStrength `yaml:"strength"`
	// Window is how many pending jobs from the head of the line get a number; the
	// rest stay neutral.
	Window int `yaml:"window"`
	// AdminComment says in the admin_comment of the first jobs of the line why they wait, where
	// nothing else stands there. Slurm takes it from Administrators only.
	AdminComment bool `yaml:"admin_comment"`
	// AdminCommentEvery is the least time between two such texts in a job (duration).
	AdminCommentEvery time.Duration `yaml:"admin_comment_every"`
}

// Lease says how jobs are held.
type Lease struct {
	Length time.Duration `yaml:"length"` // L: the longest a job stays held when we die
	Window int           `yaml:"window"` // most jobs leased at once
}

// OptIn says whose jobs may be requeued. The default is no jobs but those whose
// owner said fairbridge:preemptible.
type OptIn struct {
	Comment    bool     `yaml:"comment"` // the owner's fairbridge:preemptible counts
	QOS        []string `yaml:"qos"`
	Accounts   []string `yaml:"accounts"`
	Partitions []string `yaml:"partitions"`
}

// DefaultConfig returns the defaults; ClusterName, DaemonName and Partitions
// are the site's.
func DefaultConfig() Config {
	return Config{
		Interval:         30 * time.Second,
		Order:            Order{Lever: LeverAuto, Strength: StrengthWithinQOS, Window: 200, AdminCommentEvery: 10 * time.Minute},
		Lease:            Lease{Length: 10 * time.Minute, Window: 300},
		PinsStartingJobs: true,
		PreemptOptIn:     OptIn{Comment: true},
		Budgets:          DefaultBudgets(),
		StopFile:         "/etc/fairbridge/STOP",
		WarmupPolls:      2,
	}
}

// EffectiveLeaderTTL returns the length of the leadership lease.
func (c *Config) EffectiveLeaderTTL() time.Duration {
	if c.LeaderTTL > 0 {
		return c.LeaderTTL
	}
	return max(3*c.Interval, 20*time.Second)
}

// Validate reports every impossible value at once.
func (c *Config) Validate() error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if c.Interval < time.Second || c.Interval > time.Hour {
		bad("interval: %v is not between 1s and 1h", c.Interval)
	}
	if c.EffectiveLeaderTTL() < c.Interval+2*LeadershipMargin {
		bad("leader.ttl: %v is shorter than the interval %v and %v: leadership would lapse between cycles", c.LeaderTTL, c.Interval, 2*LeadershipMargin)
	}
	if !slices.Contains(orderLevers, c.Order.Lever) {
		bad("order.lever: %q is none of %s", c.Order.Lever, joinNames(orderLevers))
	}
	if !slices.Contains(orderStrengths, c.Order.Strength) {
		bad("order.strength: %q is none of %s", c.Order.Strength, joinNames(orderStrengths))
	}
	if c.Order.Window < 1 || c.Order.Window > 10_000 {
		bad("order.window: %d is not between 1 and 10000", c.Order.Window)
	}
	if c.Order.AdminCommentEvery < 0 || c.Order.AdminCommentEvery > 24*time.Hour {
		bad("order.admin_comment_every: %v is not between 0s and 24h", c.Order.AdminCommentEvery)
	}
	if c.Lease.Length < c.Interval {
		bad("lease.length: %v is shorter than the interval %v: leases would lapse between cycles", c.Lease.Length, c.Interval)
	}
	if len(c.Partitions) == 0 {
		bad("partitions: none given; name at least one")
	}
	seen := map[string]bool{}
	for i, p := range c.Partitions {
		if seen[p.Name] {
			bad("partitions[%d].name: %q is given twice", i, p.Name)
		}
		seen[p.Name] = true
		if p.PlanAs != "" && p.Mode != ModeObserve {
			bad("partitions[%d].plan_as: it is for mode observe; in mode %s the plan is for that mode", i, p.Mode)
		}
		if err := p.checkStopIdleAfter(&c.Budgets); err != nil {
			bad("partitions[%d].stop_idle_after: %w", i, err)
		}
	}
	return errors.Join(append(errs, c.Budgets.Validate())...)
}

// joinNames writes names as "a, b".
func joinNames[T ~string](names []T) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(names), "[]"), " ", ", ")
}

// MinLeaderlessTime returns how long no daemon must have led before a daemon with this
// configuration counts as gone: its lease, or a minute where that is longer.
func (c *Config) MinLeaderlessTime() time.Duration { return max(c.EffectiveLeaderTTL(), time.Minute) }

// LeadershipMargin is how long before the end of the leadership lease a call must begin,
// so that it is over before another daemon may act.
const LeadershipMargin = 5 * time.Second
