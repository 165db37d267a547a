// Package realrun sends a stream of jobs through a real, throw-away Slurm, alone or with
// fairbridge's loop beside it, and reads from slurmdbd what became of the jobs.
package realrun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/cmd/internal/version"
	"fairbridge/lab/fidelity"
	"fairbridge/replica/sim/memstore"
	"fairbridge/replica/workload"
	"fairbridge/scripts/throwaway"
)

// Make makes one run on a Slurm of its own; root is the root directory of a release, "" for
// this machine's Slurm.
func Make(ctx context.Context, s fidelity.Stream, arm fidelity.Arm, root string) (*fidelity.RealRun, error) {
	load := readLoad()
	c, err := throwaway.StartSlurm(ctx, "", throwaway.Options{
		NodeCount: s.NodeCount, GPUsPerNode: s.GPUsPerNode, ExtraConf: s.SlurmConf, Speed: s.Speed, SlurmRoot: root,
	})
	if err != nil {
		return nil, err
	}
	out, err := runStream(ctx, c, &s, arm)
	if err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	out.Stream, out.Arm, out.Speed, out.Load = s.Name, arm, s.Speed, (load+readLoad())/2
	out.Commit = version.ReadInfo().Commit
	return out, c.Stop()
}

func runStream(ctx context.Context, c *throwaway.Cluster, s *fidelity.Stream, arm fidelity.Arm) (*fidelity.RealRun, error) {
	conf, err := c.Run(ctx, "root", "scontrol", "show", "config")
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	submitted := make(chan error, 1)
	runCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { submitted <- submitJobs(runCtx, c, s) }()
	if arm == fidelity.ArmAlone {
		err = <-submitted
	} else if err = runLoop(runCtx, c, s, arm, submitted); err != nil {
		cancel()
	}
	if err != nil {
		return nil, err
	}
	time.Sleep(c.RealDuration(20*time.Second) + time.Second) // slurmdbd hears of the last ends
	return readOutcome(ctx, c, s, conf)
}

// submitJobs submits the jobs at their times and returns when all have ended.
func submitJobs(ctx context.Context, c *throwaway.Cluster, s *fidelity.Stream) error {
	cmd := c.Command(ctx, "root", "bash", "-s")
	cmd.Stdin = strings.NewReader(newSubmitScript(s))
	said, err := cmd.CombinedOutput()
	if err != nil || len(said) > 0 {
		return fmt.Errorf("submitting the jobs: %w: %s", err, said)
	}
	return nil
}

// readLoad is the load of the machine in the last minute.
func readLoad() float64 {
	text, _ := os.ReadFile("/proc/loadavg") // zero where there is none
	first, _, _ := strings.Cut(string(text), " ")
	v, _ := strconv.ParseFloat(first, 64)
	return v
}

// runLoop runs fairbridge's loop, in the time inside, until all jobs have ended.
func runLoop(ctx context.Context, c *throwaway.Cluster, s *fidelity.Stream, arm fidelity.Arm, ended <-chan error) error {
	loop, err := newLoop(ctx, c, s, arm)
	if err != nil {
		return err
	}
	next, doubts := c.Now(), map[string]int{}
	defer func() {
		if len(doubts) > 0 {
			fmt.Fprintln(os.Stderr, "fidelity: cycles in doubt:", doubts)
		}
	}()
	for {
		for _, d := range loop.Step(ctx).Doubts {
			doubts[string(d.Cause)]++
		}
		for next = next.Add(loop.Interval); next.Before(c.Now()); next = next.Add(loop.Interval) {
		}
		select {
		case err := <-ended:
			return err
		case <-time.After(c.RealDuration(next.Sub(c.Now()))):
		}
	}
}

// newLoop joins the loop to the cluster; what it remembers stays in memory.
func newLoop(ctx context.Context, c *throwaway.Cluster, s *fidelity.Stream, arm fidelity.Arm) (*cycle.Loop, error) {
	config := s.LoopConfig
	config.ClusterName, config.DaemonName, config.StopFile = "lab", "fidelity", ""
	decide, err := fidelity.NewPolicy()
	if err != nil {
		return nil, err
	}
	config.Partitions = []bridge.Partition{{Name: fidelity.PartitionName, Mode: arm.Mode(), Policy: fidelity.PolicyName, DecidingPolicy: decide}}
	client, err := rest.Open(ctx, rest.Config{URL: c.URL, TokenFile: c.TokenFile, User: c.TokenUser}, rest.PollConfig{Now: c.Now})
	if err != nil {
		return nil, fmt.Errorf("connecting to slurmrestd: %w", err)
	}
	var loop *cycle.Loop
	mayWrite := func(ctx context.Context) error { return loop.CheckMayPush(ctx) }
	cluster := live.New(client, writer.New(client, writer.Config{
		CheckMayWrite: mayWrite, Scontrol: c.Command(ctx, "fairbridge", "scontrol").Args, Rate: 200, LeaseMax: config.Budgets.LeaseMax, Now: c.Now,
	}))
	cluster.Scontrol = c.Command(ctx, "fairbridge", "scontrol").Args
	cluster.ReadsLimits = arm.Mode().Allows(bridge.ModePreempt)
	store := memstore.New(c.Now, fidelity.Accounts(), 7*24*time.Hour)
	loop, err = cycle.New(config, cycle.Parts{
		Cluster: cluster, Journal: store, Leadership: store, History: store, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{},
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: c.Now, Log: slog.New(slog.DiscardHandler),
	})
	return loop, err
}

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
