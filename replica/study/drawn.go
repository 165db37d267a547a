// Package study answers what would have happened: policies run on a Scenario
// (jobs and the cluster they meet) and become figures, tables and pages.
//
// An Experiment runs policies of package policyset on scenarios, exactly (by a
// clock of package clocks, most of them on exact) or through the daemon's loop and a
// simulated Slurm (slurmrun); what came of a
// run is a measure.Run; package paired sets those of a policy beside a baseline's on
// the same jobs, and a Block is one Experiment of a sweep. The jobs are those of package workload: read from
// histories of other clusters (trace), made up (generate), or a site's own past
// (replay, which also says how near a simulation comes to what happened).
// Package published has the results of others on the same jobs, chart draws,
// evaluation writes docs/evaluation.md, whatif asks a policy about smaller
// requests of one waiting job; golden and reproduce are tests against papers.
package study

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/workload"
)

// drawUniform draws a number in [0, 1) for one job, the same for every policy: it follows from
// the seed, what is drawn, and the job's number.
func drawUniform(seed int64, purpose string, jobID int64) float64 {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(seed)))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(jobID)))
	x := h.Sum64() // FNV leaves the last bytes in the low bits: mix them
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return float64((x^x>>33)>>11) / (1 << 53)
}

// SetStoppableShare lets such a part of the jobs be stopped, whatever the workload says of them,
// and forbids it for the others. Which those are is drawn by seed and job, so that it is the
// same for every policy, and who is among a smaller part is among a larger one too.
func SetStoppableShare(jobs []workload.Job, share float64, seed int64) {
	for i := range jobs {
		jobs[i].IsUnstoppable = drawUniform(seed, "stoppable", jobs[i].ID) >= share
	}
}

// DelayArrivals lets each job arrive up to so many seconds later, by seed and job. A cluster is
// chaotic: a few seconds decide which of two large jobs starts first, and with it much of a
// day. What differs among seeds is chance.
func DelayArrivals(jobs []workload.Job, most float64, seed int64) {
	for i := range jobs {
		jobs[i].Arrive += most * drawUniform(seed, "arrival", jobs[i].ID)
	}
}

// noisyPolicy is a policy to which all that jobs report, and all that is predicted of them, is
// off by a factor that is drawn for each job once: log-normal, one standard deviation of
// which is the factor given. What jobs do stays the same.
type noisyPolicy struct {
	policy.Policy
	factor float64
	seed   int64
}

// DescribeNoise says in a sentence how wrong what policies are told is; "" where it is right.
func (o *RunOptions) DescribeNoise() string {
	if o.NoiseFactor <= 0 || o.NoiseFactor == 1 {
		return ""
	}
	return fmt.Sprintf("What is reported or predicted to be left of a job is off by a factor of %g (one standard deviation, log-normal).", o.NoiseFactor)
}

// Decide implements policy.Policy.
func (n noisyPolicy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	seen := *s
	seen.Jobs = slices.Clone(s.Jobs)
	seen.WriteForecast()
	for i := range seen.Jobs {
		distortJob(&seen.Jobs[i], n.factorOf(int64(seen.Jobs[i].ID)))
	}
	seen.PredictionTrust *= n.trustFactor()
	return n.Policy.Decide(&seen)
}

// runTimeSpread is the standard deviation of the logarithm of run times on GPU clusters,
// about: a factor of ten.
const runTimeSpread = 2.3

// trustFactor is what such noise leaves of the trust in predictions: the surplus of pairs
// in their true order that is to be expected of run times that spread log-normally
// (two thirds of jobs within a factor of ten).
func (n noisyPolicy) trustFactor() float64 {
	return 2 / math.Pi * math.Asin(runTimeSpread/math.Hypot(runTimeSpread, math.Log(n.factor)))
}

// factorOf is by how much what remains of a job is said to be longer than it is.
func (n noisyPolicy) factorOf(jobID int64) float64 {
	radius := math.Sqrt(-2 * math.Log(1-drawUniform(n.seed, "noise radius", jobID)))
	return math.Exp(math.Log(n.factor) * radius * math.Cos(2*math.Pi*drawUniform(n.seed, "noise angle", jobID)))
}

// distortJob multiplies what is said to remain of a job. What it shares with the snapshot it
// was copied from stays as it is.
func distortJob(j *policy.Job, factor float64) {
	j.PredictedLeft = scaleDuration(j.PredictedLeft, factor)
	j.PredictedSigma = scaleDuration(j.PredictedSigma, factor)
	if p := j.Progress; p.Known && p.Value < 1 {
		j.Progress = policy.KnownValue(p.Value / (p.Value + (1-p.Value)*factor))
	}
	if j.Training == nil {
		return
	}
	t := *j.Training
	t.Steps = t.StepsDone + (t.Steps-t.StepsDone)*factor
	if left := t.Epochs - t.EpochsDone; left > 0 {
		t.Epochs = t.EpochsDone + max(int(math.Round(float64(left)*factor)), 1)
	}
	j.Training = &t
}

func scaleDuration(d time.Duration, factor float64) time.Duration {
	return policy.DurationFromSeconds(d.Seconds() * factor)
}

// The serial part of a step of elastic jobs, drawn evenly: that of measured models, which on eight
// GPUs are 3.3 to 7.5 times as fast as on one.
const leastSerialPart, mostSerialPart = .01, .2

// SetElasticShare lets such a part of the jobs that fit on one node declare that they run on half to
// twice the GPUs they ask for, as far as one node goes, and report how fast they are where they run;
// all others are rigid. Which those are is drawn by seed and job: it is the same
// for every policy, and who is among a smaller part is among a larger one too. How fast a job goes on
// other sizes is a property of its class (Amdahl's law, drawn by seed, user and class).
func (s *Scenario) SetElasticShare(share float64, seed int64) {
	node := cluster.MaxGPUsPerNode(s.Nodes)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.MinGPUs, j.MaxGPUs, j.Scaling = 0, 0, nil
		if j.GPUs > node || j.ArrayID != 0 || drawUniform(seed, "elastic", j.ID) >= share {
			continue
		}
		j.MinGPUs, j.MaxGPUs, j.IsSilent = max(j.GPUs/2, 1), min(2*j.GPUs, node), false
		part := leastSerialPart + (mostSerialPart-leastSerialPart)*drawUniform(seed, "serial", classNumber(j))
		j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: part}
	}
}

// classNumber is one number for all jobs of a user and class.
func classNumber(j *workload.Job) int64 {
	h := fnv.New64a()
	h.Write([]byte(j.User + "\x00" + bridge.SpeedClass(j.Class, j.Name)))
	return int64(h.Sum64())
}
