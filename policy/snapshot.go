package policy

import (
	"cmp"
	"math"
	"sort"
	"time"
)

// Account is a tenant: a Slurm account with its entitlement and its use.
type Account struct {
	Name          string     `json:"name"`
	Parent        string     `json:"parent,omitempty"`
	Weight        float64    `json:"weight"`           // shares; 0: as one share
	UsedService   GPUSeconds `json:"used,omitempty"`   // decayed service, as it is charged: by BillingWeights
	HeldService   GPUSeconds `json:"held,omitempty"`   // decayed service, of any type alike; 0: as UsedService
	RecentService GPUSeconds `json:"recent,omitempty"` // service of the last 24 hours, undecayed, of any type alike
}

// User is a person within an account.
type User struct {
	Name        string     `json:"name"`
	Account     string     `json:"account"`
	UsedService GPUSeconds `json:"used,omitempty"` // decayed service, as it is charged
	HeldService GPUSeconds `json:"held,omitempty"` // decayed service, of any type alike; 0: as UsedService
	// Weight is the user's shares within the account; 0: as one share.
	Weight float64 `json:"weight,omitempty"`
	// TypicalLimitUse is how much of their time limit the user's finished jobs
	// typically ran, 0..1; unknown without history.
	TypicalLimitUse OptionalValue `json:"limit_use,omitzero"`
}

// Snapshot is everything a policy may know, as a value. Slices are sorted by
// the field named first in their element (jobs by ID, nodes by name, …).
type Snapshot struct {
	Cluster string    `json:"cluster,omitempty"`
	Seq     uint64    `json:"seq"` // number of the cycle; also the seed of any chance
	Now     time.Time `json:"now"`
	// ClockSeconds is the time in seconds since some start, where it is known more exactly
	// than Now, which counts nanoseconds; 0 elsewhere.
	ClockSeconds float64   `json:"clock,omitempty"`
	Nodes        []Node    `json:"nodes"`
	Jobs         []Job     `json:"jobs"`
	Accounts     []Account `json:"accounts,omitempty"`
	Users        []User    `json:"users,omitempty"`
	// InferenceServices are those whose demand for GPUs varies, sorted; nil: none, or not known.
	InferenceServices []InferenceService `json:"inference,omitempty"`
	// DeadlineBudgets are what administrators granted beyond shares, those of accounts first, sorted.
	DeadlineBudgets []DeadlineBudget `json:"deadline_budgets,omitempty"`
	// RecallWithin is within which time GPUs that were lent to opportunistic jobs are back when another job is to have
	// them; 0: none is lent, and such jobs are like others.
	RecallWithin time.Duration `json:"recall,omitempty"`
	// Speeds are those of GPU types that the site knows better than DataSheetSpeed, sorted.
	Speeds []Speed `json:"speeds,omitempty"`
	// PredictionTrust is how far the order of jobs by Job.PredictedLeft has proved true here,
	// from 0, not at all or not known, to 1, always; see learn.RunOrderTrust.
	PredictionTrust float64 `json:"trust,omitempty"`
	// Forecast predicts where the jobs and PredictionTrust hold no prediction; nil: they hold all that there are.
	Forecast Forecast      `json:"-"`
	Scratch  *Scratch      `json:"-"`                 // what earlier decisions left, for speed alone; nil: nothing
	History  []FinishedJob `json:"history,omitempty"` // finished jobs' service, for policies that learn
	Memo     Memo          `json:"memo,omitzero"`     // what the policy returned in Plan.Memo last time
	// OmitReasons says that the reasons will not be read: Decision.Why may be empty.
	OmitReasons bool `json:"terse,omitempty"`
	// OmitRanks says that no Decision.Rank will be read: ranks may be any where they decide nothing else.
	OmitRanks bool `json:"-"`
}

// WholeGPUs returns the cluster's healthy GPUs in whole GPUs, those of nodes that are
// down too.
func (s *Snapshot) WholeGPUs() float64 {
	gpus := 0.0
	for i := range s.Nodes {
		gpus += s.Nodes[i].WholeGPUs()
	}
	return gpus
}

// JobIndexes returns the place of every job in a list of ids, which is sorted as the jobs
// are; -1: it is not there.
func (s *Snapshot) JobIndexes(ids []JobID) []int {
	return s.AppendJobIndexes(make([]int, 0, len(s.Jobs)), ids)
}

// AppendJobIndexes appends what JobIndexes returns.
func (s *Snapshot) AppendJobIndexes(rows []int, ids []JobID) []int {
	at := 0
	for i := range s.Jobs {
		for at < len(ids) && ids[at] < s.Jobs[i].ID {
			at++
		}
		row := -1
		if at < len(ids) && ids[at] == s.Jobs[i].ID {
			row = at
		}
		rows = append(rows, row)
	}
	return rows
}

// FinishedJob is one finished job as history knows it.
type FinishedJob struct {
	GPUs    int           `json:"gpus"`
	Ran     time.Duration `json:"ran"`
	Service GPUSeconds    `json:"service"`
}

// Job returns the job with the id, or nil.
func (s *Snapshot) Job(id JobID) *Job {
	i, ok := sort.Find(len(s.Jobs), func(i int) int { return cmp.Compare(id, s.Jobs[i].ID) })
	if !ok {
		return nil
	}
	return &s.Jobs[i]
}

// JobLabel returns the job as squeue writes it, by its id where the snapshot lacks it.
func (s *Snapshot) JobLabel(id JobID) string {
	if j := s.Job(id); j != nil {
		return j.Label()
	}
	return (&Job{ID: id}).Label()
}

// Node returns the node with the name, or nil.
func (s *Snapshot) Node(name string) *Node {
	i, ok := sort.Find(len(s.Nodes), func(i int) int { return cmp.Compare(name, s.Nodes[i].Name) })
	if !ok {
		return nil
	}
	return &s.Nodes[i]
}

// Account returns the account with the name, or nil.
func (s *Snapshot) Account(name string) *Account {
	for i := range s.Accounts {
		if s.Accounts[i].Name == name {
			return &s.Accounts[i]
		}
	}
	return nil
}

// RecentWindow is the time of which Account.RecentService counts service, undecayed.
const RecentWindow = 24 * time.Hour

// FoldUsageAfter is the age from which service of the past may be kept as one decayed sum:
// more than RecentWindow, which needs it piece by piece.
const FoldUsageAfter = RecentWindow + time.Hour

// DecayFactor is what is left of service after some time: it halves with every half-life. Both
// are seconds. A sum as of one time is so much of it as of a later one.
func DecayFactor(age, halfLife float64) float64 { return math.Exp2(-age / halfLife) }

// DecayedService is the service of GPUs (whole ones) held from one time to another, each
// moment of it decayed by its age: the integral of DecayFactor. oldest and newest are the ages of
// the beginning and the end. All but GPUs are seconds.
func DecayedService(gpus, oldest, newest, halfLife float64) GPUSeconds {
	return GPUSeconds(gpus * halfLife / math.Ln2 * (DecayFactor(newest, halfLife) - DecayFactor(oldest, halfLife)))
}

// BillingWeights are what an hour of a whole GPU of each type is charged, in GPU-hours, by Slurm's names
// of types, as in Slurm's TRESBillingWeights. A type that is not there is charged as it is: 1.
type BillingWeights map[string]float64

// MaxBillingWeight is the largest weight that may be given.
const MaxBillingWeight = 1000

// Of returns the weight of a type.
func (w BillingWeights) Of(gpuType string) float64 {
	if x, given := w[gpuType]; given {
		return x
	}
	return 1
}

// ChargedGPUs returns the devices of an allocation, each times the weight of its type.
func (w BillingWeights) ChargedGPUs(a Alloc) float64 {
	sum := 0.0
	for _, s := range a {
		sum += w.Of(s.Type) * float64(s.Count)
	}
	return sum
}

// ServiceHeld returns the decayed service of any type alike beside what is charged of it, as an Account
// and a User have it: 0 where that is the same.
func ServiceHeld(held, charged GPUSeconds) GPUSeconds {
	if held == charged {
		return 0
	}
	return held
}

// DeadlineBudget is what an administrator grants an account or a QOS beyond its account's share:
// so much service a week for jobs that have a deadline. One of Account and QOS is set.
type DeadlineBudget struct {
	Account string     `json:"account,omitempty"`
	QOS     string     `json:"qos,omitempty"`
	Weekly  GPUSeconds `json:"weekly"`
}

// DeadlineBudgetWindow is the time in which DeadlineBudget.Weekly may be spent once.
const DeadlineBudgetWindow = 7 * 24 * time.Hour

// Covers reports whether the budget is one of the job's account or QOS.
func (b *DeadlineBudget) Covers(j *Job) bool {
	return b.Account != "" && b.Account == j.Account || b.QOS != "" && b.QOS == j.QOS
}

// String names whose budget it is: "account vision", "QOS urgent".
func (b *DeadlineBudget) String() string {
	if b.Account != "" {
		return "account " + b.Account
	}
	return "QOS " + b.QOS
}

// Forecast predicts run times when it is asked, for a snapshot of which most policies ask little. Throughout
// one decision it answers the same.
type Forecast interface {
	// PredictTimeLeft returns what remains of a job and its standard error; 0: nothing is predicted.
	PredictTimeLeft(j *Job) (left, sigma time.Duration)
	// PredictionTrust returns how far what is predicted has proved true; see Snapshot.PredictionTrust.
	PredictionTrust() float64
}

// PredictedTimeLeft returns what remains of a job by Forecast, where there is one, else by the job itself.
func (s *Snapshot) PredictedTimeLeft(j *Job) (left, sigma time.Duration) {
	if s.Forecast != nil {
		return s.Forecast.PredictTimeLeft(j)
	}
	return j.PredictedLeft, j.PredictedSigma
}

// TrustInPredictions returns PredictionTrust, by Forecast where there is one.
func (s *Snapshot) TrustInPredictions() float64 {
	if s.Forecast != nil {
		return s.Forecast.PredictionTrust()
	}
	return s.PredictionTrust
}

// WriteForecast asks the Forecast about all jobs and writes the answers into the snapshot, which then has none.
func (s *Snapshot) WriteForecast() {
	if s.Forecast == nil {
		return
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.PredictedLeft, j.PredictedSigma = s.Forecast.PredictTimeLeft(j)
	}
	s.PredictionTrust, s.Forecast = s.Forecast.PredictionTrust(), nil
}
