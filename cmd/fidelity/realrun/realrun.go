// Package realrun sends a stream of jobs through a real, throw-away Slurm, alone or with
// fairbridge's loop beside it, and reads from slurmdbd what became of the jobs.
package realrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/study/fidelity"
	"fairbridge/cmd/internal/version"
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
