package workday

import (
	"cmp"
	"slices"
	"time"
)

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
