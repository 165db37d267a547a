package learn

import (
	"time"

	"fairbridge/policy"
)

// JobFrom returns what the model looks at of a job of a snapshot.
func JobFrom(j *policy.Job) Job {
	typ := j.Ask.GPUs.Type
	if len(j.On) > 0 {
		typ = j.On.FirstType()
	}
	return Job{User: j.User, Account: j.Account, Name: j.Name, GPUType: typ, GPUs: j.Ask.GPUs.Count, Limit: j.Limit}
}

// Left returns the predicted remaining time of a job of a snapshot and its
// standard error, as RunTimeDist.Left does; 0 where nothing can be said.
func (m *Model) Left(j *policy.Job) (left, sigma time.Duration) {
	job := JobFrom(j)
	return m.RunTimeOf(&job).Left(j.TotalRunTime())
}
