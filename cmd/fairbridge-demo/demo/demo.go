package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"fairbridge/accounting/pglocal"
	"fairbridge/scripts/throwaway"
)

// Options say what to show and where.
type Options struct {
	Slurm          string  // "real", "sim", or "auto": real where it can be had
	Seed           uint64  // of the day
	Pace           float64 // 1: a day of about 100 s; 0.5: half as long
	Policy         string  // that fairbridge follows
	Params         string  // of the policy, as in the configuration; "": what suits the day
	KeepsRunning   bool    // keep everything up until a line is read from In
	PrintsJSON     bool    // print the comparison as JSON on Out, everything else on Err
	FairbridgePath string  // path of the program fairbridge
	NodeprobePath  string  // path of the program nodeprobe; "": there is none
	In             io.Reader
	Out, Err       io.Writer
}

// Policies lists the policies that a day of minutes is prepared for.
func Policies() []string { return slices.Sorted(maps.Keys(paramsByPolicy)) }

// Check says which option makes no sense.
func (o *Options) Check() error {
	if o.Slurm != "auto" && o.Slurm != "real" && o.Slurm != "sim" {
		return fmt.Errorf("--slurm=%s: want real, sim or auto", o.Slurm)
	}
	if _, ok := paramsByPolicy[o.Policy]; !ok {
		return fmt.Errorf("--policy=%s: the demo knows %s", o.Policy, strings.Join(Policies(), ", "))
	}
	return nil
}

// Run shows the demonstration. Whatever it started is stopped and removed when
// it returns, also when the context ends.
func Run(ctx context.Context, o Options) error {
	if err := o.Check(); err != nil {
		return err
	}
	s := &demonstration{Options: o, screen: newScreen(o.Out), dayJobs: NewDay(o.Seed, o.Pace)}
	if o.PrintsJSON {
		s.screen = newScreen(o.Err)
	}
	begin := time.Now()
	err := s.run(ctx)
	s.screen.setStatus("")
	if ctx.Err() != nil {
		s.screen.printf("Interrupted: stopping and removing everything …")
		err = errors.New("interrupted; everything it had started is stopped and removed")
	}
	if left := s.close(); left != nil || err != nil {
		return errors.Join(err, left)
	}
	s.screen.printf("\nEverything it started is stopped and removed. This took %v.", time.Since(begin).Round(time.Second))
	return nil
}

// demonstration is a demonstration under way.
type demonstration struct {
	Options
	screen        *screen
	dayJobs       []Job
	usesRealSlurm bool
	dir           string
	dsn           string
	cleanups      []func() error // what stops and removes what was started
}

// addCleanup notes how something that was started is ended.
func (s *demonstration) addCleanup(end func() error) { s.cleanups = append(s.cleanups, end) }

// close ends everything, the youngest first.
func (s *demonstration) close() error {
	var errs []error
	for _, end := range slices.Backward(s.cleanups) {
		errs = append(errs, end())
	}
	s.cleanups = nil
	return errors.Join(errs...)
}

func (s *demonstration) run(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	c := &Comparison{Seed: s.Seed, Policy: s.Policy}
	before, err := s.playAlone(ctx, c)
	if err != nil {
		return err
	}
	after, d, err := s.playWithFairbridge(ctx, c)
	if err != nil {
		return err
	}
	if s.PrintsJSON {
		e := json.NewEncoder(s.Out)
		e.SetIndent("", "  ")
		if err := e.Encode(c); err != nil {
			return fmt.Errorf("printing the figures: %w", err)
		}
	} else {
		fmt.Fprintln(s.Out)
		printTable(s.Out, c)
		if err := s.explainJobs(ctx, d, before, after); err != nil {
			return err
		}
		if err := s.replayDay(ctx, d); err != nil {
			return err
		}
	}
	return s.waitForEnter(ctx, d.configPath)
}

// prepare installs what is missing, decides which Slurm it is, and starts
// Postgres.
func (s *demonstration) prepare(ctx context.Context) error {
	s.usesRealSlurm = s.Slurm != "sim"
	if s.usesRealSlurm {
		if err := throwaway.InstallSlurm(ctx, s.screen); err != nil {
			if s.Slurm == "real" || ctx.Err() != nil {
				return err
			}
			s.usesRealSlurm = false
			s.screen.printf("Slurm cannot be set up here, so this is shown on a simulated one: %s", lastErrorLine(err))
		}
	}
	pg, err := pglocal.Start(ctx)
	if err != nil {
		return fmt.Errorf("starting a private Postgres: %w", err)
	}
	s.addCleanup(pg.Close)
	s.dsn = pg.DSN("postgres")
	if s.dir, err = tempDir(); err != nil {
		return fmt.Errorf("making a directory: %w", err)
	}
	s.addCleanup(func() error { return os.RemoveAll(s.dir) })
	return nil
}

// tempDir makes a directory whose path is short, as those of sockets must be.
func tempDir() (string, error) {
	base := os.TempDir()
	if len(base) > 50 {
		base = "/tmp"
	}
	return os.MkdirTemp(base, "fairbridge-demo-")
}

// lastErrorLine is what a script said last of why it cannot.
func lastErrorLine(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "exit status "); i >= 0 {
		if _, says, ok := strings.Cut(text[i:], ": "); ok {
			text = says
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// startSlurm starts a fresh Slurm.
func (s *demonstration) startSlurm(ctx context.Context, hasty bool) (cluster, error) {
	if !s.usesRealSlurm {
		return startSimulatedCluster(s.dir, s.Seed, hasty)
	}
	s.screen.setStatus("Starting Slurm …")
	c, err := startRealCluster(ctx)
	if errors.Is(err, throwaway.ErrUnavailable) && s.Slurm == "auto" && hasty {
		s.usesRealSlurm = false
		s.screen.printf("Slurm cannot run here, so this is shown on a simulated one: %s", lastErrorLine(err))
		return startSimulatedCluster(s.dir, s.Seed, hasty)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}
