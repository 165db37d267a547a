package slurmrun

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/sim"
	"fairbridge/replica/workload"
)

// What jobs have as their user and name that give none.
const (
	DefaultUser    = "user"
	DefaultJobName = "job"
)

// submitter are the people who submit the jobs of a workload: what they ask of
// Slurm for a job, and what they tell us of it.
type submitter struct {
	nodes              []policy.Node
	gpuTypes           []string              // of GPUs, sorted
	speedTables        *workload.SpeedTables // nil: none
	defaultRestartCost time.Duration         // of a restart, where the job says nothing
	workloadStart      time.Time             // of the workload
}

func newSubmitter(c *Config) *submitter {
	o := &submitter{
		nodes:              c.Nodes,
		speedTables:        c.SpeedTables,
		defaultRestartCost: c.RestartCost,
		workloadStart:      c.workloadStart(),
	}
	for i := range c.Nodes {
		for _, d := range c.Nodes[i].GPUs {
			o.gpuTypes = append(o.gpuTypes, d.Type)
		}
	}
	slices.Sort(o.gpuTypes)
	o.gpuTypes = slices.Compact(o.gpuTypes)
	return o
}

// withSpeeds returns the job with its run time and its speeds. A training job goes
// at its mean speed through all its batch sizes: Slurm sees nothing of them,
// and no job reports them.
func (o *submitter) withSpeeds(j workload.Job) (workload.Job, error) {
	if j.Training == nil {
		return j, nil
	}
	if o.speedTables == nil {
		return j, fmt.Errorf("%s: trains %s, and there are no throughput tables", j.Location(), j.Training.Model)
	}
	j.Duration, j.Speeds = 0, map[string]float64{}
	for _, typ := range o.gpuTypes {
		if j.GPUType != "" && j.GPUType != typ {
			continue
		}
		t, ok := o.runTimeAlone(&j, typ)
		switch {
		case !ok:
		case j.Duration == 0: // the first type that can run it is its reference
			j.Duration, j.Speeds[typ] = t, 1
		default:
			j.Speeds[typ] = j.Duration / t
		}
	}
	if j.Duration == 0 {
		return j, fmt.Errorf(
			"%s: no speed of %s with %s in the throughput tables for the types %v",
			j.Location(),
			j.Training.Model,
			policy.FormatCount(j.GPUs, "GPU"),
			o.gpuTypes,
		)
	}
	return j, nil
}

// runTimeAlone returns how long a training job takes on GPUs of one type.
func (o *submitter) runTimeAlone(j *workload.Job, typ string) (seconds float64, ok bool) {
	if j.Training.EpochCount() > 0 {
		plan, err := workload.PlannedRegimes(j, o.speedTables, typ)
		t := workload.SumPlannedSeconds(plan)
		return t, err == nil && t > 0
	}
	class := j.Class
	if j.Training.BatchSize > 0 {
		class = workload.ClassOf(j.Training.Model, j.Training.BatchSize)
	}
	rate, ok := o.speedTables.StepsAlone(typ, class, j.GPUs)
	if !ok || rate <= 0 {
		return 0, false
	}
	return float64(j.Training.Steps) / rate, true
}

// newJobSpec is the submission of a job as its owner would write it: whole nodes
// where it fills them, else one node, else a total.
func (o *submitter) newJobSpec(j *workload.Job) (sim.JobSpec, error) {
	s := sim.JobSpec{
		Name: cmp.Or(
			j.Name,
			DefaultJobName,
		), User: cmp.Or(j.User, DefaultUser), Account: j.Account, QOS: j.QOS, GPUType: j.GPUType,
		TimeLimit: o.timeLimit(
			j,
		), Comment: o.newComment(j), WorkTime: max(policy.DurationFromSeconds(j.Duration), time.Millisecond),
		Checkpoints: !j.IsUnstoppable, RestoreTime: o.restartCost(j), NoRequeue: j.IsUnstoppable,
	}
	switch _, all := j.CountUsableGPUs(o.nodes); {
	case !(j.Duration >= 0) || math.IsInf(j.Duration, 0):
		return s, fmt.Errorf("%s: a run time of %g s", j.Location(), j.Duration)
	case j.GPUs <= 0 || j.GPUs > all:
		return s, fmt.Errorf(
			"%s: asks for %s; the cluster has %d that it can run on",
			j.Location(),
			policy.FormatCount(j.GPUs, "GPU"),
			all,
		)
	}
	if s.MinNodes, s.GPUsPerNode = j.NodeShape(o.nodes); s.GPUsPerNode == 0 {
		s.GPUs = j.GPUs
	}
	s.CPUsPerNode = (j.CPUs + s.MinNodes - 1) / s.MinNodes
	s.MemMBPerNode = (j.MemMB + int64(s.MinNodes) - 1) / int64(s.MinNodes)
	s.Speed = o.newSpeedFunction(j)
	s.ExcludedNodes = o.unfitNodes(j)
	return s, o.checkNodesSuffice(j, &s)
}

// cutAtLimit is how much longer than its limit a job may have run in a log, as sites end jobs with some delay. It is cut
// at its limit: another limit would tell policies that it is such a job.
const cutAtLimit = 2 * time.Minute

// timeLimit is the time limit its owner gives: no job is killed for running on
// slow GPUs, or for a restart. 0: the partition's.
func (o *submitter) timeLimit(j *workload.Job) time.Duration {
	if j.TimeLimit <= 0 {
		return 0
	}
	long, allowed := policy.DurationFromSeconds(longestRunSeconds(o.nodes, j)), j.TimeLimit
	if j.IsUnstoppable {
		allowed += cutAtLimit
	} else {
		long += o.restartCost(j)
	}
	if long <= allowed {
		return j.TimeLimit
	}
	return (long + time.Minute).Truncate(time.Minute)
}

// restartCost is the run time without progress that each start of the job after the
// first costs.
func (o *submitter) restartCost(j *workload.Job) time.Duration {
	if j.RestartCostSeconds > 0 {
		return policy.DurationFromSeconds(j.RestartCostSeconds)
	}
	return o.defaultRestartCost
}

// newComment is what the owner tells us in --comment.
func (o *submitter) newComment(j *workload.Job) string {
	var words []string
	if !j.IsUnstoppable {
		words = append(words, "preemptible")
		if cost := o.restartCost(j); cost > 0 {
			words = append(words, "ckpt="+cost.String())
		}
	}
	if j.Class != "" && !j.IsSilent {
		words = append(words, "class="+strings.NewReplacer(" ", "_", ",", "_").Replace(j.Class))
	}
	if j.IsShareable {
		words = append(words, "shareable")
	}
	if j.MinGPUs > 0 && j.MaxGPUs > 0 {
		words = append(words, fmt.Sprintf("min=%d,max=%d", j.MinGPUs, j.MaxGPUs))
	}
	if j.Deadline > 0 {
		words = append(
			words,
			"deadline="+o.workloadStart.Add(policy.DurationFromSeconds(j.Deadline)).Format(time.RFC3339),
		)
		if j.DeadlineValue > 0 {
			words = append(words, fmt.Sprintf("value=%.3f", j.DeadlineValue))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "fairbridge:" + strings.Join(words, ",")
}

// unfitNodes returns the nodes a job must keep off, because it cannot use their
// GPUs.
func (o *submitter) unfitNodes(j *workload.Job) []string {
	if j.Speeds == nil || j.GPUType != "" {
		return nil
	}
	var out []string
	for i := range o.nodes {
		fits := false
		for _, d := range o.nodes[i].GPUs {
			fits = fits || j.CanRunOn(d.Type)
		}
		if !fits {
			out = append(out, o.nodes[i].Name)
		}
	}
	return out
}

// Cores and megabytes of a node that does not say how many it has: by GPU, and at least.
const (
	coresPerGPU, leastCores = 8, 64
	memMBPerGPU, leastMemMB = 64_000, 512_000
)

// assumedCapacity is what a node of so many GPUs is taken to have where it does not say: never
// less than a job asks for on it.
func assumedCapacity(gpus int, jobs []workload.Job) (cores int, memMB int64) {
	cores, memMB = max(leastCores, coresPerGPU*gpus), int64(max(leastMemMB, memMBPerGPU*gpus))
	for i := range jobs {
		j := &jobs[i]
		nodes := max(j.NodeCount, (j.GPUs+max(gpus, 1)-1)/max(gpus, 1), 1)
		cores, memMB = max(cores, (j.CPUs+nodes-1)/nodes), max(memMB, (j.MemMB+int64(nodes)-1)/int64(nodes))
	}
	return cores, memMB
}

// checkNodesSuffice refuses a job whose cores or memory too few nodes have, as Slurm refuses it
// when it is submitted: it would wait until the simulation is given up.
func (o *submitter) checkNodesSuffice(j *workload.Job, s *sim.JobSpec) error {
	enough, mostCores, mostMemMB := 0, 0, int64(0)
	for i := range o.nodes {
		n := &o.nodes[i]
		mostCores, mostMemMB = max(mostCores, n.CPUs), max(mostMemMB, n.MemMB)
		if (n.CPUs == 0 || s.CPUsPerNode <= n.CPUs) && (n.MemMB == 0 || s.MemMBPerNode <= n.MemMB) {
			enough++
		}
	}
	if enough >= s.MinNodes {
		return nil
	}
	return fmt.Errorf("%s: asks for %s and %d MB of memory on %s, which %d have (at most %d cores, %d MB): leave it out or give the nodes more", j.Location(),
		policy.FormatCount(s.CPUsPerNode, "core"), s.MemMBPerNode, policy.FormatCount(s.MinNodes, "node"), enough, mostCores, mostMemMB)
}
