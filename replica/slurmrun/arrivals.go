package slurmrun

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/sim"
	"fairbridge/replica/workload"
)

// submission is one call of sbatch: a job, or all tasks of an array.
type submission struct {
	spec       sim.JobSpec
	arrive     float64
	jobIndexes []int // in the workload; of an array, by task
}

// scheduleArrivals makes sure that the jobs are submitted when their time has come, the tasks of
// an array as one.
func (r *runner) scheduleArrivals(owners *submitter) error {
	var all []*submission
	submissionByArray := map[int64]*submission{}
	for i := range r.jobs {
		j := &r.jobs[i]
		spec, err := owners.newJobSpec(j)
		if err != nil {
			return err
		}
		r.specs = append(r.specs, spec)
		s := submissionByArray[j.ArrayID]
		if s == nil {
			s = &submission{}
			all = append(all, s)
		}
		if j.ArrayID == 0 {
			*s = submission{spec: spec, arrive: j.Arrive, jobIndexes: []int{i}}
			continue
		}
		submissionByArray[j.ArrayID] = s
		if err := s.addTask(i, j, &spec); err != nil {
			return err
		}
	}
	for _, s := range all {
		r.scheduleArrival(s)
	}
	return nil
}

func (r *runner) scheduleArrival(s *submission) {
	r.world.ScheduleAt(r.workloadStart.Add(policy.DurationFromSeconds(s.arrive)), func() {
		id, err := r.world.Submit(s.spec)
		if err != nil {
			r.submitError = fmt.Errorf("submitting job %d: %w", r.jobs[s.jobIndexes[0]].ID, err)
		}
		r.jobIndexes[id] = s.jobIndexes
		r.submittedCount += len(s.jobIndexes)
	})
}

// addTask makes a job of the workload the next task of an array.
func (s *submission) addTask(i int, j *workload.Job, own *sim.JobSpec) error {
	if len(s.jobIndexes) > 0 {
		if err := s.checkIsAlike(j, own); err != nil {
			return err
		}
	} else {
		s.spec, s.arrive = *own, j.Arrive
		s.spec.ArrayMaxRunning = j.ArrayMaxRunning
	}
	s.jobIndexes = append(s.jobIndexes, i)
	s.spec.ArraySize++
	s.spec.TaskWorkTimes = append(s.spec.TaskWorkTimes, own.WorkTime)
	s.spec.TimeLimit = max(s.spec.TimeLimit, own.TimeLimit)
	return nil
}

// checkIsAlike refuses a task that asks for other things than those before it.
func (s *submission) checkIsAlike(j *workload.Job, own *sim.JobSpec) error {
	type asked struct {
		arrive                                  float64
		user, account, qos, gpuType, comment    string
		nodes, perNode, gpus, cpus, mostRunning int
		memory                                  int64
		restore                                 time.Duration
	}
	of := func(s *sim.JobSpec, arrive float64, most int) asked {
		return asked{arrive, s.User, s.Account, s.QOS, s.GPUType, s.Comment, s.MinNodes, s.GPUsPerNode, s.GPUs, s.CPUsPerNode, most, s.MemMBPerNode, s.RestoreTime}
	}
	if of(&s.spec, s.arrive, s.spec.ArrayMaxRunning) != of(own, j.Arrive, j.ArrayMaxRunning) {
		return fmt.Errorf("%s: is to be a task of array %d, but asks for other things than the tasks before it, or comes at another time", j.Location(), j.ArrayID)
	}
	return nil
}

// jobIndexes finds a job of the workload by the id of the submission, an array's or the job's own.
type jobIndexes map[int64][]int

// find returns the index of a job, whose array is 0 where it is no task of one.
func (x jobIndexes) find(job, array, task int64) int {
	if array != 0 {
		return x[array][max(task, 0)]
	}
	return x[job][0]
}

// findEnded returns that of a run that ended.
func (x jobIndexes) findEnded(e *sim.EndedRun) int { return x.find(e.JobID, e.ArrayID, e.TaskID) }
