package demo

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Job is a job, or an array of equal ones, of the demonstration's day.
type Job struct {
	Name          string
	User          string
	Account       string
	SubmitAt      time.Duration // of its submission, since the day began
	WorkTime      time.Duration // how long it runs, stops not counted
	TimeLimit     time.Duration // whole minutes
	NodeCount     int
	GPUsPerNode   int  // on each node
	ArrayTasks    int  // of an array; 0: no array
	MayBeRequeued bool // it checkpoints, and its owner lets fairbridge requeue it
}

// TotalGPUs returns the GPUs of one task on all its nodes.
func (j *Job) TotalGPUs() int { return j.NodeCount * j.GPUsPerNode }

// TaskCount returns how many jobs Slurm makes of it.
func (j *Job) TaskCount() int { return max(j.ArrayTasks, 1) }

// slurmComment is what sbatch --comment says to fairbridge.
func (j *Job) slurmComment() string {
	if j.MayBeRequeued {
		return "fairbridge:preemptible,ckpt=500ms"
	}
	return ""
}

// WeightsByAccount are the shares of the accounts of the throw-away Slurm.
var WeightsByAccount = map[string]float64{"research": 2, "teaching": 1, "vision": 1}

// NewDay draws the jobs of a day, in the order of their submission. A pace of 1
// makes one of about 100 seconds for 4 nodes of 8 GPUs, 0.5 one half as long.
// The same seed and pace give the same day.
//
// Research fills the cluster in the morning with long trainings that may be
// interrupted. Teaching and vision come later, in bursts of short jobs.
func NewDay(seed uint64, pace float64) []Job {
	d := &dayGenerator{Rand: rand.New(rand.NewPCG(seed, 0xda1)), pace: pace}
	d.addTrainings()
	d.addHomework(12, 24, 38, 50)
	d.addNotebooks(18, 34, 52)
	d.addExperiments(17, 44)
	slices.SortStableFunc(d.jobs, func(a, b Job) int { return cmp.Compare(a.SubmitAt, b.SubmitAt) })
	return d.jobs
}

// dayGenerator is a day in the making. Times are in seconds of a day of pace 1.
type dayGenerator struct {
	*rand.Rand
	pace float64
	jobs []Job
}

// drawInt draws a whole number from lo to hi.
func (d *dayGenerator) drawInt(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

func (d *dayGenerator) scaleSeconds(n int) time.Duration {
	return time.Duration(float64(n) * d.pace * float64(time.Second)).Round(time.Second)
}

func (d *dayGenerator) addJob(j Job, at, work int) {
	j.SubmitAt, j.WorkTime = d.scaleSeconds(at), max(d.scaleSeconds(work), time.Second)
	j.TimeLimit = (3*j.WorkTime/2 + 30*time.Second + time.Minute - 1).Truncate(time.Minute)
	d.jobs = append(d.jobs, j)
}

func (d *dayGenerator) addTrainings() {
	alice := Job{User: "alice", Account: "research", NodeCount: 1, GPUsPerNode: 8, MayBeRequeued: true}
	for i := range 4 {
		alice.Name = fmt.Sprintf("train-%d", i+1)
		d.addJob(alice, d.drawInt(0, 2), d.drawInt(46, 52))
	}
	alice.Name, alice.NodeCount = "train-wide", 2
	d.addJob(alice, 4, d.drawInt(20, 24))
}

func (d *dayGenerator) addHomework(at ...int) {
	for i, t := range at {
		j := Job{User: "bob", Account: "teaching", NodeCount: 1, GPUsPerNode: 1 + i%2, ArrayTasks: 12}
		j.Name = fmt.Sprintf("homework-%d", i+1)
		d.addJob(j, t, d.drawInt(4, 7))
	}
}

func (d *dayGenerator) addNotebooks(at ...int) {
	for i, t := range at {
		for k := range 5 {
			j := Job{User: "bob", Account: "teaching", NodeCount: 1, GPUsPerNode: d.drawInt(1, 2)}
			j.Name = fmt.Sprintf("notebook-%d%c", i+1, 'a'+k)
			d.addJob(j, t+d.drawInt(0, 4), d.drawInt(4, 8))
		}
	}
}

func (d *dayGenerator) addExperiments(at ...int) {
	for i, t := range at {
		for k := range 3 {
			j := Job{User: "carol", Account: "vision", NodeCount: 1, GPUsPerNode: 4}
			j.Name = fmt.Sprintf("experiment-%d%c", i+1, 'a'+k)
			d.addJob(j, t+d.drawInt(0, 2), d.drawInt(7, 11))
		}
	}
	wide := Job{Name: "experiment-wide", User: "carol", Account: "vision", NodeCount: 2, GPUsPerNode: 8}
	d.addJob(wide, at[0]+d.drawInt(8, 12), d.drawInt(7, 10))
}
