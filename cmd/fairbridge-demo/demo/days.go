package demo

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// playAlone plays the day on Slurm alone, and takes that Slurm away.
func (s *demonstration) playAlone(ctx context.Context, c *Comparison) ([]JobOutcome, error) {
	slurm, err := s.startSlurm(ctx, true)
	if err != nil {
		return nil, err
	}
	end := slurm.Close
	s.addCleanup(func() error { return end() })
	c.SlurmTitle = slurm.Title()
	tasks := 0
	for i := range s.dayJobs {
		tasks += s.dayJobs[i].TaskCount()
	}
	s.screen.printf("A day of %d jobs (seed %d) on %s, %d nodes with %d GPUs each. Three accounts: research has 2 shares, teaching and vision 1 each.",
		tasks, s.Seed, c.SlurmTitle, nodeCount, gpusPerNode)
	haste := ""
	if !s.usesRealSlurm {
		haste = " (in virtual time, as nobody works beside it)"
	}
	s.screen.printf("\n1. Slurm alone%s", haste)
	err = playDay(ctx, slurm, s.dayJobs, func(p *progress) error {
		if s.usesRealSlurm {
			s.screen.setStatus("  " + p.String())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	runs, err := s.measureDay(ctx, slurm, &c.AloneFigures)
	if err != nil {
		return nil, err
	}
	err = slurm.Close()
	end = func() error { return nil }
	return outcomesFromRecords(runs), err
}

// accountingDelay is how long Slurm's accounting may need to hear of the last job.
const accountingDelay = 30 * time.Second

// measureDay takes Slurm's records, which come a little after the day's end.
func (s *demonstration) measureDay(ctx context.Context, slurm cluster, f **Figures) ([]RunRecord, error) {
	s.screen.setStatus("  waiting for Slurm's accounting …")
	defer s.screen.setStatus("")
	for begin := time.Now(); ; {
		runs, err := slurm.Records(ctx)
		if err != nil {
			return nil, err
		}
		*f, err = MeasureFigures(s.dayJobs, runs, totalGPUs, WeightsByAccount)
		if err == nil || time.Since(begin) > accountingDelay {
			return runs, err
		}
		if err := slurm.Wait(ctx, time.Second); err != nil {
			return nil, err
		}
	}
}

// playWithFairbridge plays the day on another Slurm, with fairbridge beside it.
func (s *demonstration) playWithFairbridge(ctx context.Context, c *Comparison) ([]JobOutcome, *daemon, error) {
	slurm, err := s.startSlurm(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	s.addCleanup(slurm.Close)
	gpus, url := s.startProbes()
	d, err := installDaemon(ctx, &s.Options, s.dir, s.dsn, url, slurm.Access())
	if err != nil {
		return nil, nil, err
	}
	s.addCleanup(d.stop)
	if err := d.start(ctx); err != nil {
		return nil, nil, err
	}
	s.screen.printf("\n2. The same day, fairbridge beside a fresh Slurm: mode preempt, policy %s. Its first decision of each kind:", s.Policy)
	n := &decisionLog{db: d.db, cluster: d.access.Cluster, since: time.Now(), announcedIntents: map[string]bool{}, jobNameByID: map[int64]string{}, printf: s.screen.printf}
	w := &monitor{demonstration: s, daemon: d, decisions: n, probes: gpus}
	if err := playDay(ctx, slurm, s.dayJobs, func(p *progress) error { return w.update(ctx, p) }); err != nil {
		return nil, nil, err
	}
	runs, err := s.measureDay(ctx, slurm, &c.FairbridgeFigures)
	if err != nil {
		return nil, nil, err
	}
	if c.ChangesByKind, err = n.countEffects(ctx); err != nil {
		return nil, nil, err
	}
	for _, k := range editKinds {
		if c.ChangesByKind[k] == 0 {
			s.screen.printf("  %-8s none was needed on this day", k)
		}
	}
	s.screen.printf("  Altogether %s.", changeCountsText(c.ChangesByKind))
	return outcomesFromRecords(runs), d, nil
}

func changeCountsText(changes map[string]int) string {
	var parts []string
	for _, k := range editKinds {
		parts = append(parts, fmt.Sprintf("%s %d times", k, changes[k]))
	}
	return strings.Join(parts, ", ")
}

// startProbes starts the probes; without them the day goes on unmeasured.
func (s *demonstration) startProbes() (*probes, string) {
	p, err := startProbes(s.NodeprobePath, s.dir, s.dayJobs)
	if err != nil {
		s.screen.printf("No GPU is measured: %v", err)
		return nil, ""
	}
	s.addCleanup(p.stop)
	return p, p.urlPattern()
}
