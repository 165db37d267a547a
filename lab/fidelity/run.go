package fidelity

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"fairbridge/bridge"
	"fairbridge/bridge/datafile"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/measure"
	"fairbridge/replica/replay"
	"fairbridge/replica/slurmrun"
	"fairbridge/replica/workload"
)

// Arm is who schedules: Slurm by itself, or with fairbridge beside it.
type Arm string

// The arms.
const (
	ArmAlone Arm = "alone" // Slurm by itself
	ArmHolds Arm = "holds" // fairbridge orders and holds
	ArmStops Arm = "stops" // and stops running jobs
)

// Arms lists them.
var Arms = []Arm{ArmAlone, ArmHolds, ArmStops}

// Mode is how much of a plan reaches Slurm; "" for Slurm by itself.
func (a Arm) Mode() bridge.Mode {
	switch a {
	case ArmHolds:
		return bridge.ModeSteer
	case ArmStops:
		return bridge.ModePreempt
	}
	return ""
}

// PolicyName is the policy that fairbridge runs.
const PolicyName = "fairbridge"

// NewPolicy returns it.
func NewPolicy() (policy.Policy, error) {
	s, err := catalogue.FindSystem(PolicyName)
	if err != nil {
		return nil, err
	}
	return s.New(nil)
}

// RealRun is what a real slurmctld made of a stream.
type RealRun struct {
	Stream    string  `json:"stream"`
	Arm       Arm     `json:"arm"`
	Release   string  `json:"release"`
	Commit    string  `json:"commit"`     // of the fairbridge that ran beside it, or made the run
	SlurmConf string  `json:"slurm_conf"` // what "scontrol show config" said
	Speed     int     `json:"speed"`
	Load      float64 `json:"load"` // of the machine, mean of before and after
	// BackfillSeconds is how long a pass of backfill took in the mean, in seconds inside; 0: not known.
	BackfillSeconds float64     `json:"backfill_s,omitempty"`
	Run             measure.Run `json:"run"`
	Starts          []JobRun    `json:"starts,omitempty"`
}

// JobRun is one run of a job, for a closer look.
type JobRun struct {
	JobID              int64
	Submit, Start, End float64 // seconds since the stream began
	State              string
}

// epilogSeconds is how long after a job's end its nodes were free in the log of slurmctld, in
// seconds of the machine (0.015 to 0.16 s); times Speed inside.
const epilogSeconds = .06

// streamStart is a full minute.
var streamStart = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// Simulate runs the stream through the simulated Slurm with the settings of a real run and its
// moments of submission, which lag where ten jobs come at once. What a start cost in it is part of
// every job's run time. The seed also draws how the stream lies to the full minutes, to which
// slurmctld's backfill rounds.
func Simulate(s *Stream, like *RealRun, seed int64) (*measure.Run, error) {
	arm, startSeconds := like.Arm, like.StartSeconds()
	settings, err := replay.ParseSlurmConf(like.SlurmConf)
	if err != nil {
		return nil, fmt.Errorf("reading slurm.conf: %w", err)
	}
	settings.Release = like.Release
	settings.Start = streamStart.Add(time.Duration(seed*23%60) * time.Second)
	settings.EpilogTime = policy.DurationFromSeconds(epilogSeconds * float64(like.Speed))
	settings.BackfillPassTime = policy.DurationFromSeconds(like.BackfillSeconds)
	jobs := slices.Clone(s.Jobs)
	for i := range jobs {
		jobs[i].Arrive = like.Run.JobOutcomes[i].Arrive
		jobs[i].Duration += startSeconds
	}
	slices.SortStableFunc(jobs, func(a, b workload.Job) int { return cmp.Compare(a.Arrive, b.Arrive) })
	c := slurmrun.Config{
		Nodes: newNodes(s), Jobs: jobs, Seed: seed, SlurmConfig: settings, LoopConfig: s.LoopConfig, RestartCost: s.RestartCost,
		Accounts: Accounts(), RunsEveryCycle: true,
	}
	if arm != ArmAlone {
		c.Mode, c.PolicyName = arm.Mode(), PolicyName
		if c.Policy, err = NewPolicy(); err != nil {
			return nil, err
		}
	}
	run, err := slurmrun.Run(c)
	if err == nil {
		for i := range run.JobOutcomes {
			run.JobOutcomes[i].ExclusiveRunSeconds -= startSeconds
		}
	}
	return run, err
}

// StartSeconds is how much longer runs lasted than the work in them: the launch of a script, and
// the report of its end. Runs that were cut off do not count.
func (r *RealRun) StartSeconds() float64 {
	work := map[int64]float64{}
	for i := range r.Run.JobOutcomes {
		o := &r.Run.JobOutcomes[i]
		if o.StopCount == 0 {
			work[o.ID] = o.ExclusiveRunSeconds
		}
	}
	var over []float64
	for _, s := range r.Starts {
		if w, ok := work[s.JobID]; ok && s.State == "COMPLETED" {
			over = append(over, s.End-s.Start-w)
		}
	}
	return stat.Mean(over, nil)
}

// Accounts are those of the users.
func Accounts() []policy.Account {
	var out []policy.Account
	for _, u := range Users {
		out = append(out, policy.Account{Name: u.Account, Weight: u.Shares})
	}
	return out
}

func newNodes(s *Stream) []policy.Node {
	var out []policy.Node
	for i := range s.NodeCount {
		out = append(out, policy.Node{Name: fmt.Sprintf("n%03d", i+1), CPUs: 64, MemMB: 512000, GPUs: []policy.NodeDevices{{Type: "a100", Count: s.GPUsPerNode}}})
	}
	slices.SortFunc(out, func(a, b policy.Node) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// RunFileName is the name of the file with the n-th real run, counted from 1.
func RunFileName(stream string, arm Arm, n int) string {
	return fmt.Sprintf("%s-%s-%d.json.gz", stream, arm, n)
}

// LoadRun reads a real run back; nil: there is no such file.
func LoadRun(path string) (*RealRun, error) {
	run := &RealRun{}
	found, err := datafile.LoadJSON(path, "real run", run)
	if !found {
		return nil, err
	}
	return run, nil
}

// Save writes the run into a file that is not there yet: whole or not at all.
func (r *RealRun) Save(path string) error {
	return datafile.SaveFile(path, false, func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
}
