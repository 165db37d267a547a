package learn

import (
	"time"

	"fairbridge/policy"
)

// JobFromPolicy returns what the model looks at of a job of a snapshot.
func JobFromPolicy(j *policy.Job) Job {
	typ := j.Ask.GPUs.Type
	if len(j.On) > 0 {
		typ = j.On.FirstType()
	}
	return Job{User: j.User, Account: j.Account, Name: j.Name, GPUType: typ, GPUs: j.Ask.GPUs.Count, Limit: j.Limit}
}

// TimeLeft returns the predicted remaining time of a job of a snapshot and its
// standard error, as RunTimeDist.MedianLeft does; 0 where nothing can be said.
func (m *Model) TimeLeft(j *policy.Job) (left, sigma time.Duration) {
	job := JobFromPolicy(j)
	return m.RunTimeDistOf(&job).MedianLeft(j.TotalRunTime())
}
