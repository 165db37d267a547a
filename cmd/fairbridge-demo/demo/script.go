package demo

import (
	"fmt"
	"time"
)

// batchScriptFormat is a job that computes nothing for so many seconds. When it is told
// to stop it writes down how far it got; requeued, it goes on from there.
const batchScriptFormat = `#!/bin/bash
saved=$HOME/saved.$SLURM_JOB_ID
done=$(cat "$saved" 2>/dev/null || echo 0)
stop() { echo $((done + SECONDS)) >"$saved"; kill %%1; exit 0; }
trap stop TERM
SECONDS=0
sleep $((%d > done ? %d - done : 0)) &
wait $!
`

// sbatchCommand is the command line that submits the job; it reads the script from
// its standard input.
func sbatchCommand(j *Job) []string {
	argv := []string{
		"sbatch", "--parsable", "--partition=gpu", "--requeue", "--output=/dev/null", "--mem-per-gpu=100",
		"--job-name=" + j.Name, fmt.Sprintf("--nodes=%d", j.NodeCount), fmt.Sprintf("--gres=gpu:%d", j.GPUsPerNode),
		fmt.Sprintf("--time=%d", int(j.TimeLimit/time.Minute)),
	}
	if j.ArrayTasks > 0 {
		argv = append(argv, fmt.Sprintf("--array=0-%d", j.ArrayTasks-1))
	}
	if c := j.slurmComment(); c != "" {
		argv = append(argv, "--comment="+c)
	}
	return argv
}

// batchScript is the job's batch script.
func batchScript(j *Job) string {
	seconds := int(j.WorkTime / time.Second)
	return fmt.Sprintf(batchScriptFormat, seconds, seconds)
}
