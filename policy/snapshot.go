package policy

import (
	"cmp"
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
