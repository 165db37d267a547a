package demo

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/cmd/fairbridge-demo/workday"
)

// sacctCommand is the command that prints every run there was, one a line.
var sacctCommand = []string{
	"env", "SLURM_TIME_FORMAT=%s", "sacct", "--allusers", "--allocations", "--duplicates", "--parsable2",
	"--starttime=2020-01-01", "--format=" + slurmdb.SacctColumns,
}

// parseSacct reads what sacct prints. Runs that have not ended are left out.
func parseSacct(text string) ([]workday.RunRecord, error) {
	rows, bad, err := slurmdb.ReadSacct(strings.NewReader(text), "sacct", "", time.UTC)
	if err = errors.Join(append(bad, err)...); err != nil {
		return nil, err
	}
	var out []workday.RunRecord
	for i := range rows {
		if j := &rows[i]; j.HasEnded() && !j.Start.IsZero() {
			out = append(out, workday.RunRecord{
				JobID: j.ID, Name: j.Name, TaskIndex: int(j.ArrayTask), User: j.User, Account: j.Account, GPUs: j.AllocatedTRES.GPUCount(),
				Submit: j.Submit, Start: j.Start, End: j.End, State: j.State,
			})
		}
	}
	return out, nil
}

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
func sbatchCommand(j *workday.Job, speed float64) []string {
	argv := []string{
		"sbatch", "--parsable", "--partition=gpu", "--requeue", "--output=/dev/null", "--mem-per-gpu=100",
		"--job-name=" + j.Name, fmt.Sprintf("--nodes=%d", j.NodeCount), fmt.Sprintf("--gres=gpu:%d", j.GPUsPerNode),
		fmt.Sprintf("--time=%d", int(j.TimeLimit/time.Minute)),
	}
	if j.ArrayTasks > 0 {
		argv = append(argv, fmt.Sprintf("--array=0-%d", j.ArrayTasks-1))
	}
	if c := j.SlurmComment(speed); c != "" {
		argv = append(argv, "--comment="+c)
	}
	return argv
}

// batchScript is the job's batch script.
func batchScript(j *workday.Job) string {
	seconds := int(j.WorkTime / time.Second)
	return fmt.Sprintf(batchScriptFormat, seconds, seconds)
}
