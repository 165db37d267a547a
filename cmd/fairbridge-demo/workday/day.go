// Package workday is the day that a demonstration plays: its jobs, and the figures of
// what a Slurm recorded of them.
package workday

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// The cluster that a day is for.
const (
	NodeCount   = 4
	GPUsPerNode = 8
	TotalGPUs   = NodeCount * GPUsPerNode
)

// Job is a job, or an array of equal ones, of the demonstration's day.
type Job struct {
	Name          string
	User          string
	Account       string
	SubmitAt      time.Duration // of its submission, since the day began
	WorkTime      time.Duration // how long it runs, stops not counted
	TimeLimit     time.Duration // half as much again, in whole minutes
	NodeCount     int
	GPUsPerNode   int  // on each node
	ArrayTasks    int  // of an array; 0: no array
	MayBeRequeued bool // it checkpoints, and its owner lets fairbridge requeue it
}

// TotalGPUs returns the GPUs of one task on all its nodes.
func (j *Job) TotalGPUs() int { return j.NodeCount * j.GPUsPerNode }

// TaskCount returns how many jobs Slurm makes of it.
func (j *Job) TaskCount() int { return max(j.ArrayTasks, 1) }

// checkpointCost is what a checkpoint and a restart cost a training of a real day.
const checkpointCost = time.Minute

// SlurmComment is what sbatch --comment says to fairbridge on a day that passes so many
// times faster than a real one.
func (j *Job) SlurmComment(speed float64) string {
	if j.MayBeRequeued {
		return "fairbridge:preemptible,ckpt=" + CompressTime(checkpointCost, speed).String()
	}
	return ""
}

// CompressTime is what a time of a real day is on one that passes so many times faster,
// to a tenth of a second.
func CompressTime(d time.Duration, speed float64) time.Duration {
	return time.Duration(float64(d) / speed).Round(100 * time.Millisecond)
}

// WeightsByAccount are the shares of the accounts of the throw-away Slurm.
var WeightsByAccount = map[string]float64{"research": 2, "teaching": 1, "vision": 1}

// NewDay draws the jobs of a day, in the order of their submission: seven hours for 4
// nodes of 8 GPUs, which pass so many times faster. The same seed and speed give the same
// day.
//
// Research fills the cluster in the morning with long trainings that may be
// interrupted, and adds narrow ones. Teaching and vision come later, in bursts of short
// jobs, until noon; in the afternoon little is submitted, and what was put off catches
// up, as in the evening of a real day.
func NewDay(seed uint64, speed float64) []Job {
	d := &dayGenerator{Rand: rand.New(rand.NewPCG(seed, 0xda1)), speed: speed}
	d.addTrainings()
	d.addFinetunes()
	d.addHomework(50, 90, 130, 170, 220)
	d.addNotebooks(60, 110, 150, 200, 280, 330, 380)
	d.addExperiments(70, 140)
	slices.SortStableFunc(d.jobs, func(a, b Job) int { return cmp.Compare(a.SubmitAt, b.SubmitAt) })
	return d.jobs
}

// dayGenerator is a day in the making. Times are in minutes of a real day.
type dayGenerator struct {
	*rand.Rand
	speed float64
	jobs  []Job
}

// drawInt draws a whole number from lo to hi.
func (d *dayGenerator) drawInt(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

func (d *dayGenerator) scaleMinutes(n int) time.Duration {
	return (time.Duration(float64(n) / d.speed * float64(time.Minute))).Round(time.Second)
}

func (d *dayGenerator) addJob(j Job, at, work int) {
	j.SubmitAt, j.WorkTime = d.scaleMinutes(at), max(d.scaleMinutes(work), time.Second)
	j.TimeLimit = (3*j.WorkTime/2 + 30*time.Second + time.Minute - 1).Truncate(time.Minute)
	d.jobs = append(d.jobs, j)
}

func (d *dayGenerator) addTrainings() {
	alice := Job{User: "alice", Account: "research", NodeCount: 1, GPUsPerNode: 8, MayBeRequeued: true}
	for i := range 4 {
		alice.Name = fmt.Sprintf("train-%d", i+1)
		d.addJob(alice, d.drawInt(0, 8), d.drawInt(130, 150))
	}
	alice.Name, alice.NodeCount = "train-wide", 2
	d.addJob(alice, 12, d.drawInt(50, 60))
}

func (d *dayGenerator) addFinetunes() {
	for i := range 8 {
		j := Job{User: "alice", Account: "research", NodeCount: 1, GPUsPerNode: 2, MayBeRequeued: true}
		j.Name = fmt.Sprintf("finetune-%d", i+1)
		d.addJob(j, 16+18*i+d.drawInt(0, 16), d.drawInt(48, 72))
	}
}

func (d *dayGenerator) addHomework(at ...int) {
	for i, t := range at {
		j := Job{User: "bob", Account: "teaching", NodeCount: 1, GPUsPerNode: 1 + i%2, ArrayTasks: 12}
		j.Name = fmt.Sprintf("homework-%d", i+1)
		d.addJob(j, t, d.drawInt(10, 18))
	}
}

func (d *dayGenerator) addNotebooks(at ...int) {
	for i, t := range at {
		for k := range 5 {
			j := Job{User: "bob", Account: "teaching", NodeCount: 1, GPUsPerNode: d.drawInt(1, 2)}
			j.Name = fmt.Sprintf("notebook-%d%c", i+1, 'a'+k)
			d.addJob(j, t+d.drawInt(0, 16), d.drawInt(10, 24))
		}
	}
}

func (d *dayGenerator) addExperiments(at ...int) {
	for i, t := range at {
		for k := range 3 {
			j := Job{User: "carol", Account: "vision", NodeCount: 1, GPUsPerNode: 4}
			j.Name = fmt.Sprintf("experiment-%d%c", i+1, 'a'+k)
			d.addJob(j, t+d.drawInt(0, 8), d.drawInt(18, 30))
		}
	}
	wide := Job{Name: "experiment-wide", User: "carol", Account: "vision", NodeCount: 2, GPUsPerNode: 8}
	d.addJob(wide, at[0]+d.drawInt(16, 24), d.drawInt(14, 20))
}

// Hours is how long a real day is, from the first submission to the last end.
const Hours = 7

// JobKey is one job of a day, by name and task of an array.
type JobKey struct {
	Name string
	Task int // 0 without an array
}

// isolatedTimeByJob returns how long each job would take from submission to end if its
// account had its entitled part of the GPUs to itself and served its own jobs
// first come, first served. A job wider than that part takes all of it and
// runs slower in proportion.
func isolatedTimeByJob(day []Job, capacity int, weights map[string]float64) map[JobKey]time.Duration {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	parts := map[string]*entitledCluster{}
	out := map[JobKey]time.Duration{}
	for i := range day {
		j := &day[i]
		p := parts[j.Account]
		if p == nil {
			size := max(int(float64(capacity)*weights[j.Account]/sum), 1)
			p = &entitledCluster{gpuCount: size, freeGPUs: size}
			parts[j.Account] = p
		}
		for task := range j.TaskCount() {
			out[JobKey{j.Name, task}] = p.runJob(j) - j.SubmitAt
		}
	}
	return out
}

// entitledCluster is an account's own small cluster.
type entitledCluster struct {
	gpuCount, freeGPUs int
	now                time.Duration // when the last job could start
	running            []jobEnd      // the earliest first
}

// runJob starts the job after all earlier ones and returns when it ends.
func (p *entitledCluster) runJob(j *Job) time.Duration {
	need, length := j.TotalGPUs(), j.WorkTime
	if need > p.gpuCount {
		length = length * time.Duration(need) / time.Duration(p.gpuCount)
		need = p.gpuCount
	}
	p.now = max(p.now, j.SubmitAt)
	for len(p.running) > 0 && (p.running[0].endAt <= p.now || p.freeGPUs < need) {
		p.now, p.freeGPUs = max(p.now, p.running[0].endAt), p.freeGPUs+p.running[0].freedGPUs
		p.running = p.running[1:]
	}
	p.freeGPUs -= need
	p.running = append(p.running, jobEnd{p.now + length, need})
	slices.SortFunc(p.running, func(a, b jobEnd) int { return cmp.Compare(a.endAt, b.endAt) })
	return p.now + length
}

// jobEnd is when a running job gives its GPUs back.
type jobEnd struct {
	endAt     time.Duration
	freedGPUs int
}
