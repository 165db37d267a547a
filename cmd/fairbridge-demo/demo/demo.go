// Package demo shows fairbridge at work: the same seeded day of jobs on a throw-away
// Slurm alone and on another with fairbridge beside it, and what changed, in figures made
// of Slurm's own records. On a real Slurm both days pass at the same time, shortened to
// minutes; on a simulated one the day of hours passes in virtual time.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"fairbridge/accounting/pglocal"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge-demo/workday"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy/catalogue"
	"fairbridge/scripts/throwaway"
)

// Options say what to show and where.
type Options struct {
	Slurm          string  // "real", "sim", or "auto": real where it can be had
	Seed           uint64  // of the day
	Speed          float64 // how many times faster than a real day it passes on a real Slurm; 0: what suits the machine
	Policy         string  // that fairbridge follows
	Params         string  // of the policy, as in the configuration; "": what suits the day
	KeepsRunning   bool    // keep everything up until a line is read from In
	PrintsJSON     bool    // print the comparison as JSON on Out, everything else on Err
	FairbridgePath string  // path of the program fairbridge
	NodeprobePath  string  // path of the program nodeprobe; "": there is none
	In             io.Reader
	Out, Err       io.Writer
}

// Check says which option makes no sense.
func (o *Options) Check() error {
	if o.Slurm != "auto" && o.Slurm != "real" && o.Slurm != "sim" {
		return fmt.Errorf("--slurm=%s: want real, sim or auto", o.Slurm)
	}
	if _, err := catalogue.FindSystem(o.Policy); err != nil {
		return fmt.Errorf("--policy=%s: %w", o.Policy, err)
	}
	return nil
}

// Run shows the demonstration. Whatever it started is stopped and removed when
// it returns, also when the context ends; where it failed, logs stay and the error
// says where.
func Run(ctx context.Context, o Options) error {
	_, err := runForComparison(ctx, o)
	return err
}

// runForComparison shows the demonstration and returns what it found.
func runForComparison(ctx context.Context, o Options) (*Comparison, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	s := &demonstration{Options: o, screen: newScreen(o.Out)}
	if o.PrintsJSON {
		s.screen = newScreen(o.Err)
	}
	begin := time.Now()
	c, err := s.run(ctx)
	s.screen.setStatus("")
	if ctx.Err() != nil {
		s.screen.printf("Interrupted: stopping and removing everything …")
		err = errors.New("interrupted; everything it had started is stopped and removed")
	} else if err != nil {
		err = s.keepLogs(err)
	}
	if left := s.close(); left != nil || err != nil {
		return nil, errors.Join(err, left)
	}
	s.screen.printf("\nEverything it started is stopped and removed. This took %v.", time.Since(begin).Round(time.Second))
	return c, nil
}

// demonstration is a demonstration under way.
type demonstration struct {
	Options
	screen         *screen
	pace           pace
	dayJobs        []workday.Job
	usesRealSlurm  bool
	dir            string // of all its files
	keepsDir       bool   // it stays, with the logs in it
	dsn            string
	virtualCluster cluster        // with fairbridge beside it, in virtual time; nil: the Slurm is real
	cleanups       []func() error // what stops and removes what was started
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

// run shows everything, and waits at the end where it is to stay up.
func (s *demonstration) run(ctx context.Context) (*Comparison, error) {
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	c := &Comparison{Seed: s.Seed, Policy: s.Policy}
	records, d, err := s.playDays(ctx, c)
	if err != nil {
		return nil, err
	}
	c.judgeMachine()
	if text := c.latenessText(); text != "" {
		s.screen.printf("\n%s", text)
	}
	if err := s.printAnswers(ctx, c, records, d); err != nil {
		return nil, err
	}
	return c, s.waitForEnter(ctx, d.configPath)
}

// printAnswers prints the figures as JSON, or as a table with what fairbridge answers about
// the day.
func (s *demonstration) printAnswers(ctx context.Context, c *Comparison, records dayRecords, d *daemon) error {
	if s.PrintsJSON {
		return output.WriteJSON(s.Out, c)
	}
	printable.Fprintln(s.Out)
	printTable(s.Out, c)
	if err := s.explainJobs(ctx, d, records.alone, records.withFairbridge); err != nil {
		return err
	}
	return s.replayDay(ctx, d)
}

// prepare installs what is missing, decides which Slurm it is, and starts
// Postgres.
func (s *demonstration) prepare(ctx context.Context) error {
	s.usesRealSlurm = s.Slurm != "sim"
	if err := checkFreeSpace(s.usesRealSlurm, measureFreeMegabytes); err != nil {
		return err
	}
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
	s.addCleanup(s.removeDir)
	return nil
}

// playDays plays the day with and without fairbridge, on a real Slurm or a simulated one.
func (s *demonstration) playDays(ctx context.Context, c *Comparison) (dayRecords, *daemon, error) {
	s.pace = virtualPace
	if s.usesRealSlurm {
		both, err := s.startRealClusters(ctx)
		switch {
		case err == nil:
			return s.playReal(ctx, c, both)
		case !errors.Is(err, throwaway.ErrUnavailable) || s.Slurm != "auto":
			return dayRecords{}, nil, err
		}
		s.usesRealSlurm = false
		s.screen.printf("Slurm cannot run here, so this is shown on a simulated one: %s", lastErrorLine(err))
	}
	s.dayJobs = workday.NewDay(s.Seed, s.pace.speed)
	return s.playVirtual(ctx, c)
}

// tempDir makes a directory whose path is short, as those of sockets must be.
func tempDir() (string, error) {
	base := os.TempDir()
	if len(base) > 50 {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "fairbridge-demo-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711) // Slurm's users reach theirs in it
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

// keepLogs says where the logs are of a demonstration that failed, which stay.
func (s *demonstration) keepLogs(cause error) error {
	if logs, _ := listLogs(s.dir); len(logs) == 0 {
		return cause
	}
	s.keepsDir = true
	return fmt.Errorf("%w\nits logs stay in %s", cause, s.dir)
}

// listLogs lists the files in a directory that say what its programs did.
func listLogs(dir string) (logs []string, err error) {
	if dir == "" {
		return nil, nil
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // a daemon took it away
		}
		if e.Type().IsRegular() && isLogName(filepath.Base(path)) {
			logs = append(logs, path)
		}
		return nil
	})
	return logs, err
}

// isLogName reports whether a file of that name stays when a demonstration fails.
func isLogName(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".log" || ext == ".out" || name == "out" || name == "fairbridge.yaml"
}

// removeDir removes the directory, but for the logs of a demonstration that failed.
func (s *demonstration) removeDir() error {
	if !s.keepsDir {
		return os.RemoveAll(s.dir)
	}
	logs, err := listLogs(s.dir)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, path := range logs {
		for ; len(path) >= len(s.dir); path = filepath.Dir(path) {
			kept[path] = true
		}
	}
	return filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || kept[path]:
			return nil
		case e.IsDir():
			_ = os.RemoveAll(path) // a sentence about what is left would hide why it failed
			return filepath.SkipDir
		}
		return os.Remove(path)
	})
}

// Megabytes that a demonstration writes at most, its Postgres included.
const (
	realMegabytes    = 1000 // two Slurms hold 230, Postgres 45 and a log of changes that may reach 256
	virtualMegabytes = 400
)

// checkFreeSpace checks that the directories of temporary files have room for a
// demonstration; without it a part of it would end in the middle, with a reason of its own.
func checkFreeSpace(usesRealSlurm bool, freeMegabytes func(dir string) (int, error)) error {
	need, hint := virtualMegabytes, ""
	if usesRealSlurm {
		need, hint = realMegabytes, fmt.Sprintf(", or use --slurm=sim, which needs %d MB", virtualMegabytes)
	}
	for _, dir := range slices.Compact([]string{os.TempDir(), "/tmp"}) { // parts that need a short path are in /tmp
		free, err := freeMegabytes(dir)
		if err != nil {
			return fmt.Errorf("looking how much room %s has: %w", dir, err)
		}
		if free < need {
			return fmt.Errorf("the demonstration needs %d MB in %s, where %d MB are free: make room there%s", need, dir, free, hint)
		}
	}
	return nil
}

// measureFreeMegabytes returns what is free on the disk of a directory to those without privileges.
func measureFreeMegabytes(dir string) (int, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int(uint64(s.Bavail) * uint64(s.Bsize) >> 20), nil
}
