package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fairbridge/accounting/pglocal"
	"fairbridge/scripts/throwaway"
)

const cycleUsage = `Usage: slurmbench cycles [flags]

Measures cycles of fairbridge beside a real Slurm with many pending jobs, and prints a
table: wall time, and the processor time and memory of fairbridge, slurmrestd, slurmctld
and Postgres, for cycles that read the whole job list and for those that read what moved.
fairbridge only observes; nothing is changed but the jobs that are submitted for this,
which are cancelled at the end. It must run as root.

Examples:
  go run ./e2e/slurmbench cycles                   a throw-away Slurm of this machine's own release
  go run ./e2e/slurmbench cycles -jobs 20000 -cycles 12
  FAIRBRIDGE_SLURM_ROOTS=DIR go run ./e2e/slurmbench cycles -release 26.05 -nodes 1000
  go run ./e2e/slurmbench cycles -profile /tmp/cpu and go tool pprof -top /tmp/cpu.list

Flags:
`

// cycleBench measures cycles.
type cycleBench struct {
	cycleCount      int           // measured cycles of each kind
	changedJobCount int           // jobs that come, and as many that go, before a cycle of the last kind
	pause           time.Duration // between cycles
	policyName      string        // catalogue name
	nodeCount       int           // nodes, all down but the first busyNodeCount
	profilePrefix   string        // prefix of CPU profiles; "": none
	cycleSite
}

func (b *cycleBench) addFlags(f *flag.FlagSet) string {
	f.IntVar(&b.jobCount, "jobs", 5000, "pending `jobs`, no arrays")
	f.IntVar(&b.cycleCount, "cycles", 10, "`cycles` measured of each kind")
	f.IntVar(
		&b.changedJobCount,
		"moved",
		10,
		"`jobs` that come, and as many that go, before each cycle of the kind moved",
	)
	f.DurationVar(&b.pause, "pause", time.Second, "`time` between two cycles")
	f.StringVar(&b.policyName, "policy", "tiresias", "the policy's `name`")
	f.StringVar(&b.release, "release", "", "the `release` of Slurm, from the folder that FAIRBRIDGE_SLURM_ROOTS names")
	f.IntVar(&b.nodeCount, "nodes", busyNodeCount, "`nodes` of the cluster; 4 run jobs, the rest are down")
	f.StringVar(&b.profilePrefix, "profile", "", "write CPU profiles to `prefix`.KIND")
	return cycleUsage
}

func (b *cycleBench) isValid() bool {
	return b.jobCount > 0 && b.cycleCount > 0 && b.changedJobCount >= 0 && b.nodeCount >= busyNodeCount
}

func (b *cycleBench) measure(ctx context.Context, out, _ io.Writer) error {
	b.printTitle(out)
	for _, k := range b.listCycleKinds() {
		samples, err := b.measureCycles(ctx, k)
		if err != nil {
			return fmt.Errorf("cycles of kind %s: %w", k.name, err)
		}
		printRow(out, k.name, samples)
	}
	return nil
}

const (
	partitionName = "gpu"
	jobName       = "slurmbench" // by which our jobs are cancelled
	busyNodeCount = 4            // each filled by one job of 8 GPUs
)

var cycleUsers = []string{"alice", "bob"}

// cycleSite is a site and its processes.
type cycleSite struct {
	site
	release string
	servers serverPIDs
}

// serverPIDs are the processes beside ours, by pid.
type serverPIDs struct{ slurmrestd, slurmctld, postgres int }

func (b *cycleBench) open(ctx context.Context) (err error) {
	o := throwaway.Options{NodeCount: busyNodeCount}
	if down := b.nodeCount - busyNodeCount; down > 0 {
		o.ExtraConf = fmt.Sprintf("NodeName=down[1-%d] NodeAddr=127.0.0.1 Port=9 Gres=gpu:a100:8 State=DOWN", down)
	}
	if b.release != "" {
		if o.SlurmRoot, err = throwaway.FindReleaseRoot(b.release); err != nil {
			return err
		}
	}
	if b.slurm, err = throwaway.StartSlurm(ctx, "", o); err != nil {
		return err
	}
	if b.postgres, err = pglocal.Start(ctx); err != nil {
		return err
	}
	return b.findServers(ctx)
}

// findServers finds the processes to watch.
func (s *cycleSite) findServers(ctx context.Context) error {
	text, err := s.slurm.Run(ctx, "root", "scontrol", "show", "config")
	if err != nil {
		return err
	}
	config := map[string]string{}
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, "="); ok {
			config[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	s.release = config["SLURM_VERSION"]
	rest, err := url.Parse(s.slurm.URL)
	if err != nil {
		return err
	}
	var errs [3]error
	s.servers.slurmrestd, errs[0] = findListenerPID(rest.Port())
	s.servers.slurmctld, errs[1] = findListenerPID(config["SlurmctldPort"])
	s.servers.postgres, errs[2] = findPostmasterPID(s.postgres.DSN("postgres"))
	return errors.Join(errs[:]...)
}

// fillQueue fills the nodes and lets n jobs wait.
func (s *cycleSite) fillQueue(ctx context.Context, n int) error {
	if err := s.submitSleepers(ctx, cycleUsers[0], busyNodeCount, "--gres=gpu:8 -t 7-0"); err != nil {
		return err
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		out, err := s.slurm.Run(ctx, "root", "squeue", "-h", "-t", "R", "-n", jobName, "-o", "%i")
		if err != nil {
			return err
		}
		if len(strings.Fields(out)) == busyNodeCount {
			break
		}
		if time.Now().After(end) {
			return errors.New("the jobs that fill the nodes do not start: is the Slurm idle otherwise?")
		}
	}
	for i, u := range cycleUsers {
		share := n/len(cycleUsers) + min(i, n%len(cycleUsers))
		if err := s.submitSleepers(ctx, u, share, "--gres=gpu:$((1 << n % 4)) -t $((10 + n % 50 * 20))"); err != nil {
			return err
		}
	}
	return nil
}

// submitSleepers submits n jobs of a user that sleep for a week.
func (s *cycleSite) submitSleepers(ctx context.Context, user string, n int, flags string) error {
	return s.submitJobs(ctx, user, n, "-J "+jobName+" "+flags, "sleep 604800", "")
}

// changeJobs lets n jobs come and n waiting ones go.
func (s *cycleSite) changeJobs(ctx context.Context, n int) error {
	if err := s.submitSleepers(ctx, cycleUsers[0], n, "--gres=gpu:2 -t 60"); err != nil {
		return err
	}
	cancel := `squeue -h -t PD -n ` + jobName + ` -o %i | shuf -n ` + strconv.Itoa(n) + ` | xargs -r scancel`
	_, err := s.slurm.Run(ctx, "root", "sh", "-c", cancel)
	return err
}

// close cancels our jobs and ends what open started.
func (s *cycleSite) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var errs []error
	if s.slurm != nil {
		for _, u := range cycleUsers {
			_, err := s.slurm.Run(ctx, "root", "scancel", "--user="+u, "--name="+jobName)
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, s.stop())...)
}
