package demo

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// alone plays the day on Slurm alone, and takes that Slurm away.
func (s *show) alone(ctx context.Context, c *Comparison) ([]Life, error) {
	slurm, err := s.open(ctx, true)
	if err != nil {
		return nil, err
	}
	end := slurm.Close
	s.atEnd(func() error { return end() })
	c.Slurm = slurm.Title()
	tasks := 0
	for i := range s.day {
		tasks += s.day[i].Count()
	}
	s.screen.say("A day of %d jobs (seed %d) on %s, %d nodes with %d GPUs each. Three accounts: research has 2 shares, teaching and vision 1 each.",
		tasks, s.Seed, c.Slurm, clusterNodes, gpusPerNode)
	haste := ""
	if !s.real {
		haste = " (in virtual time, as nobody works beside it)"
	}
	s.screen.say("\n1. Slurm alone%s", haste)
	err = play(ctx, slurm, s.day, func(p *progress) error {
		if s.real {
			s.screen.show("  " + p.String())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	runs, err := s.measure(ctx, slurm, &c.Alone)
	if err != nil {
		return nil, err
	}
	err = slurm.Close()
	end = func() error { return nil }
	return Lives(runs), err
}

// settling is how long Slurm's accounting may need to hear of the last job.
const settling = 30 * time.Second

// measure takes Slurm's records, which come a little after the day's end.
func (s *show) measure(ctx context.Context, slurm site, f **Figures) ([]Record, error) {
	s.screen.show("  waiting for Slurm's accounting …")
	defer s.screen.show("")
	for begin := time.Now(); ; {
		runs, err := slurm.Records(ctx)
		if err != nil {
			return nil, err
		}
		*f, err = Measure(s.day, runs, capacity, Weights)
		if err == nil || time.Since(begin) > settling {
			return runs, err
		}
		if err := slurm.Wait(ctx, time.Second); err != nil {
			return nil, err
		}
	}
}

// with plays the day on another Slurm, with fairbridge beside it.
func (s *show) with(ctx context.Context, c *Comparison) ([]Life, *daemon, error) {
	slurm, err := s.open(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	s.atEnd(slurm.Close)
	gpus, url := s.measurers()
	d, err := install(ctx, &s.Options, s.dir, s.dsn, url, slurm.Access())
	if err != nil {
		return nil, nil, err
	}
	s.atEnd(d.end)
	if err := d.start(ctx); err != nil {
		return nil, nil, err
	}
	s.screen.say("\n2. The same day, fairbridge beside a fresh Slurm: mode preempt, policy %s. Its first decision of each kind:", s.Policy)
	n := &news{db: d.db, cluster: d.access.Cluster, since: time.Now(), told: map[string]bool{}, names: map[int64]string{}, say: s.screen.say}
	w := &watch{show: s, daemon: d, news: n, probes: gpus}
	if err := play(ctx, slurm, s.day, func(p *progress) error { return w.look(ctx, p) }); err != nil {
		return nil, nil, err
	}
	runs, err := s.measure(ctx, slurm, &c.With)
	if err != nil {
		return nil, nil, err
	}
	if c.Changes, err = n.count(ctx); err != nil {
		return nil, nil, err
	}
	for _, k := range kinds {
		if c.Changes[k] == 0 {
			s.screen.say("  %-8s none was needed on this day", k)
		}
	}
	s.screen.say("  Altogether %s.", total(c.Changes))
	return Lives(runs), d, nil
}

func total(changes map[string]int) string {
	var parts []string
	for _, k := range kinds {
		parts = append(parts, fmt.Sprintf("%s %d times", k, changes[k]))
	}
	return strings.Join(parts, ", ")
}

// measurers starts the probes; without them the day goes on unmeasured.
func (s *show) measurers() (*probes, string) {
	p, err := startProbes(s.Nodeprobe, s.dir, s.day)
	if err != nil {
		s.screen.say("No GPU is measured: %v", err)
		return nil, ""
	}
	s.atEnd(p.end)
	return p, p.url()
}
