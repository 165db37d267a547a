package realrun

import (
	"fmt"
	"strings"

	"fairbridge/lab/fidelity"
	"fairbridge/replica/workload"
)

// scriptHead makes the job's script and the means to wait. A job that was stopped keeps its
// work: the record says when it was (the time of submission becomes that of the requeue).
const scriptHead = `set -eu
export SLURM_TIME_FORMAT=%%s
mkdir -p -m 1777 /var/lib/slurm/work
cat >/var/lib/slurm/work/job <<'JOB'
#!/bin/bash
shift ${SLURM_ARRAY_TASK_ID:-0} # the tasks' run times
f=/var/lib/slurm/work/$SLURM_JOB_ID work=$1 ready=0 restore=0
if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ]; then
	read -r ready started <$f
	ended=$(scontrol -o show job ${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}${SLURM_ARRAY_TASK_ID:-$SLURM_JOB_ID} | grep -oE ' SubmitTime=[^ ]*')
	ended=$(date -d "${ended#*=}" +%%s) restore=%d
	[ $ended -le $started ] || ready=$((ready + ended - started))
	[ $ready -lt $work ] || ready=$((work - 1))
fi
echo "$ready $((EPOCHSECONDS + restore))" >$f
exec sleep $((work - ready + restore))
JOB
chmod 755 /var/lib/slurm/work/job
from=$((${EPOCHREALTIME/./} / 1000 + 3000))
at() {
	local d=$((from + $1 - ${EPOCHREALTIME/./} / 1000))
	[ $d -le 0 ] || sleep $((d / 1000)).$(printf %%03d $((d %% 1000)))
}
job() { # ARRIVAL USER "WORK..." NAME OPTIONS...
	local user=$2 work=$3 name=$4
	at $1; shift 4
	SLURM_TIME_FORMAT= sbatch -Q -p study --uid=$user -D / -o /dev/null -J $name "$@" /var/lib/slurm/work/job $work
}
`

// newSubmitScript submits the jobs at their times, and ends when all have ended.
func newSubmitScript(s *fidelity.Stream) string {
	var b strings.Builder
	fmt.Fprintf(&b, scriptHead, int(s.RestartCost.Seconds()))
	for i := 0; i < len(s.Jobs); {
		n := countTasks(s.Jobs[i:])
		writeSubmission(&b, s, s.Jobs[i:i+n])
		i += n
	}
	b.WriteString("while [ -n \"$(squeue -h -o %i | head -1)\" ]; do sleep 5; done\n")
	return b.String()
}

// countTasks returns how many of the jobs, from the first on, are submitted as one.
func countTasks(jobs []workload.Job) int {
	n := 1
	for n < len(jobs) && jobs[0].ArrayID != 0 && jobs[n].ArrayID == jobs[0].ArrayID {
		n++
	}
	return n
}

// writeSubmission writes the submission of a job, or of the tasks of an array.
func writeSubmission(b *strings.Builder, s *fidelity.Stream, tasks []workload.Job) {
	j := &tasks[0]
	var work []string
	for i := range tasks {
		work = append(work, fmt.Sprintf("%.0f", tasks[i].Duration))
	}
	array := ""
	if j.ArrayID != 0 {
		array = fmt.Sprintf("-a 0-%d", len(tasks)-1)
		if j.ArrayMaxRunning > 0 {
			array += fmt.Sprintf("%%%d", j.ArrayMaxRunning)
		}
	}
	fmt.Fprintf(b, "job %d %s '%s' %s -A %s -t %.0f --comment=fairbridge:preemptible,ckpt=%s %s %s\n", int(j.Arrive*1000), j.User, strings.Join(work, " "), j.Name,
		j.Account, j.TimeLimit.Minutes(), s.RestartCost, requestOptions(j, s.GPUsPerNode), array)
}

// requestOptions asks as the simulated owners do: one node where it is enough, else whole
// nodes.
func requestOptions(j *workload.Job, perNode int) string {
	if j.GPUs <= perNode {
		return fmt.Sprintf("-N 1 --gres=gpu:%d", j.GPUs)
	}
	return fmt.Sprintf("-N %d --gres=gpu:%d", j.GPUs/perNode, perNode)
}
