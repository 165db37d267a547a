// Package workload says what the jobs of a workload really do: who submits them
// when, what they ask, how fast they go on which GPUs and when they are done.
// The simulator runs it; policies see only what a job would show of itself.
package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/goodput"
)

// Job is one job of a workload. Times are seconds since its start.
type Job struct {
	ID        int64
	Line      int // in the file it was read from; 0: made
	Name      string
	User      string
	Account   string
	QOS       string
	Partition string
	Class     string // model family and batch size, as in throughput tables: "LM (batch size 10)"

	ReplicaOf string // the inference service that it answers requests for; "": none
	Arrive    float64
	GPUs      int    // as a gang
	GPUType   string // "": any
	NodeCount int    // servers over which its GPUs are spread evenly; 0: as few as can be. Only Slurm sees to it
	MinGPUs   int    // elastic range; 0: rigid
	MaxGPUs   int
	CPUs      int // over all nodes
	MemMB     int64
	TimeLimit time.Duration // 0: none
	Deadline  float64       // 0: none
	// DeadlineValue is what being done by the deadline is worth; 0: as 1.
	DeadlineValue float64
	Weight        float64 // 0: 1

	// Duration is the run time in seconds on what it asks, if never stopped and
	// alone. With Training it is the nominal one and Training decides.
	Duration float64
	// Speeds are its speeds by GPU type relative to the one Duration was measured
	// on; nil: 1 everywhere; a type that is not named cannot run it.
	Speeds   map[string]float64
	Training *Training
	// Scaling is how fast it truly goes on other sizes than it asks, by package policy/scaling;
	// policies see it where the job is not silent. nil: as the tables have it, else in proportion.
	Scaling *policy.Scaling
	// Loss is how its training loss falls, which it reports if it is not silent; nil: it
	// reports none.
	Loss *LossCurve

	// Sharing is how it truly does beside neighbours, for jobs that are IsShareable; policies see
	// it where the job is not silent, else its terms. nil: nothing is known.
	Sharing *policy.Sharing
	// CPUScaling is how its speed truly depends on cores and memory; nil: it does not.
	CPUScaling        *policy.CPUScaling
	EarlyEnd          *policy.EarlyEnd // what its owner declares as enough; nil: it ends by itself only
	AcceptsMixedTypes bool             // its GPUs may be of several types

	// Goodput says which profile its speed stands in, and with it how much it has to do, in place
	// of Duration, Speeds, Training and Scaling; nil: those say it. Only lockstep clocks run it.
	Goodput *goodput.Job `json:",omitempty"`

	// ArrayID joins the jobs that are submitted as one job array, whose tasks they are in their
	// order: they come at one time, ask for the same and differ in how long they run; 0: none.
	// Where plans are carried out exactly, a task is a job like any other.
	ArrayID         int64
	ArrayMaxRunning int // most tasks of the array that Slurm lets run at once ("%n"); 0: all

	End                JobEnd
	RestartCostSeconds float64 // seconds each new start costs it; 0: what the simulator's clock says
	IsUnstoppable      bool    // must not be stopped
	IsShareable        bool
	IsSilent           bool // reports nothing: policies see neither Training nor progress
}

// JobEnd is how a job ends by itself.
type JobEnd string

// The ends.
const (
	Completed JobEnd = "" // its work is done
	Failed    JobEnd = "failed"
	Cancelled JobEnd = "cancelled"
)

// Training is a training job whose speed stands in throughput tables and which
// may change its batch size on the way.
type Training struct {
	Model     string    `json:"model"`           // "ResNet-18", as in Job.Class without the batch size
	BatchSize int       `json:"batch,omitempty"` // at first
	Mode      BatchMode `json:"mode"`
	Steps     int64     `json:"steps"` // in all, at the first batch size
}

// BatchMode is how a job adapts its batch size.
type BatchMode string

// The modes of the Shockwave traces. GNS: Pollux's gradient noise scale, as a
// number of doublings; Accordion: the largest batch outside critical regimes.
const (
	StaticMode    BatchMode = "static"
	AccordionMode BatchMode = "accordion"
	GNSMode       BatchMode = "gns"
)

// Location names the job for an error: by its number, and its line where it was read from
// a file.
func (j *Job) Location() string {
	if j.Line > 0 {
		return fmt.Sprintf("job %d (line %d)", j.ID, j.Line)
	}
	return fmt.Sprintf("job %d", j.ID)
}

// NodeShape says how the job's owner asks Slurm for its GPUs: so many on each of so many nodes
// where it fills nodes, or fits one; perNode is 0 where only the total is asked for, over at
// least nodes.
func (j *Job) NodeShape(nodes []policy.Node) (count, perNode int) {
	per, _ := j.CountUsableGPUs(nodes)
	switch {
	case per <= 0:
		return 1, 0
	case j.NodeCount > 1 && j.GPUs%j.NodeCount == 0 && j.GPUs/j.NodeCount <= per && j.NodeCount <= len(nodes):
		return j.NodeCount, j.GPUs / j.NodeCount
	case j.GPUs <= per:
		return 1, j.GPUs
	case j.GPUs%per == 0:
		return j.GPUs / per, per
	}
	return (j.GPUs + per - 1) / per, 0
}

// CountUsableGPUs returns the most GPUs of one type that the job can get on one node, and on all.
func (j *Job) CountUsableGPUs(nodes []policy.Node) (onNode, all int) {
	for i := range nodes {
		for _, d := range nodes[i].GPUs {
			if nodes[i].DownReason == "" && j.CanRunOn(d.Type) {
				onNode = max(onNode, d.Count-d.SickCount)
				all += d.Count - d.SickCount
			}
		}
	}
	return onNode, all
}

// CanRunOn reports whether the job can use GPUs of the type.
func (j *Job) CanRunOn(gpuType string) bool {
	if j.GPUType != "" && j.GPUType != gpuType {
		return false
	}
	return j.Speeds == nil || j.Speeds[gpuType] > 0
}

// SplitAccountUse divides what accounts had used before a workload began (Account.UsedService,
// decayed to its beginning) equally among their users: those who have jobs in
// it. It returns them sorted by name and account, without those who used
// nothing. What accounts without jobs used is left to a user of their own, so
// that the sums stay.
func SplitAccountUse(accounts []policy.Account, jobs []Job) []policy.User {
	users := map[string][]string{}
	for i := range jobs {
		if j := &jobs[i]; !slices.Contains(users[j.Account], j.User) {
			users[j.Account] = append(users[j.Account], j.User)
		}
	}
	var all []policy.User
	for _, a := range accounts {
		names := users[a.Name]
		if len(names) == 0 {
			names = []string{a.Name}
		}
		for _, name := range names {
			n := policy.GPUSeconds(len(names))
			if u := (policy.User{Name: name, Account: a.Name, UsedService: a.UsedService / n, HeldService: a.HeldService / n}); u.UsedService > 0 || u.HeldService > 0 {
				all = append(all, u)
			}
		}
	}
	slices.SortFunc(all, func(a, b policy.User) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	return all
}

// LossCurve is how the training loss of a job truly falls: Floor+Range/(1+Linear*k) after k
// parts of its work, or Floor+Range*Decay^k where Decay is set.
type LossCurve struct {
	Floor, Range  float64
	Linear, Decay float64
}

// At returns the loss after a part of the work, 0..1.
func (c *LossCurve) At(part float64) float64 {
	if c.Decay > 0 {
		return c.Floor + c.Range*math.Pow(c.Decay, part)
	}
	return c.Floor + c.Range/(1+c.Linear*part)
}

// lossReports are how many losses a job reports in all.
const lossReports = 200

// AppendReports adds to what a job reported the losses it went through until it had done so
// many of all steps.
func (c *LossCurve) AppendReports(reported []policy.LossPoint, done, steps float64) []policy.LossPoint {
	for steps > 0 && len(reported) <= lossReports {
		part := float64(len(reported)) / lossReports
		if part*steps > done {
			break
		}
		reported = append(reported, policy.LossPoint{Step: part * steps, Loss: c.At(part)})
	}
	return reported
}

// Interference says how fast jobs truly are that share a GPU.
type Interference interface {
	// RelativeSpeeds returns the speed of each of the jobs on a GPU of the type, two or more of
	// them, relative to its speed alone; above 0.
	RelativeSpeeds(jobs []*Job, gpuType string) []float64
}

// NodeInterference says how fast jobs truly are beside jobs on other GPUs of their nodes.
type NodeInterference interface {
	// SpeedOnNode returns the speed of a job on a node where others hold GPUs too, one or more of
	// them, relative to its speed there without them; above 0.
	SpeedOnNode(j *Job, others []NodePart) float64
}

// NodePart is a job and the part of the GPUs of a node that it holds, above 0 to 1.
type NodePart struct {
	Job  *Job
	Part float64
}
