package demo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
)

// daemon is fairbridge beside a site.
type daemon struct {
	binaryPath string
	configPath string // its file
	logPath    string // file of what it says
	probesURL  string // of the node probes; "": none
	access     clusterAccess
	db         *stores.Stores
	process    *process
	stopExpiry func() // ends the timer; nil: it does not run
}

// installDaemon configures fairbridge for a cluster and makes its database.
func (s *demonstration) installDaemon(ctx context.Context, probes string, a clusterAccess) (*daemon, error) {
	d := &daemon{binaryPath: s.FairbridgePath, configPath: filepath.Join(s.dir, "fairbridge.yaml"), logPath: filepath.Join(s.dir, "fairbridge.log"), access: a, probesURL: probes}
	if err := os.WriteFile(filepath.Join(s.dir, "dsn"), []byte(s.dsn), 0o600); err != nil {
		return nil, fmt.Errorf("configuring fairbridge: %w", err)
	}
	if err := s.configureDaemon(d); err != nil {
		return nil, err
	}
	if _, err := d.runCommand(ctx, "db", "init"); err != nil {
		return nil, err
	}
	dsn := s.dsn
	if !s.usesRealSlurm {
		dsn = withoutTimeLimits(dsn)
	}
	var err error
	d.db, err = stores.Open(ctx, accounting.Config{DSN: dsn})
	return d, err
}

// configureDaemon writes the configuration file for the pace of the day.
func (s *demonstration) configureDaemon(d *daemon) error {
	c := newDaemonConfig(&s.Options, s.pace)
	c.Access, c.DSNFile, c.Dir, c.Probes = d.access, filepath.Join(s.dir, "dsn"), s.dir, d.probesURL
	text, err := c.text()
	if err == nil {
		err = os.WriteFile(d.configPath, []byte(text), 0o600)
	}
	if err != nil {
		return fmt.Errorf("configuring fairbridge: %w", err)
	}
	return nil
}

// runCommand runs fairbridge to its end and returns what it prints.
func (d *daemon) runCommand(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, d.binaryPath, append([]string{"--config", d.configPath}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("fairbridge %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

// runExpire runs fairbridge expire now and every minute, as the systemd timer does
// on a site: without it no node is named for any job.
func (d *daemon) runExpire(ctx context.Context) error {
	if _, err := d.runCommand(ctx, "expire"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	d.stopExpiry = func() { cancel(); <-done }
	go func() {
		defer close(done)
		for sleepContext(ctx, time.Minute) == nil {
			_, _ = d.runCommand(ctx, "expire") // the daemon notices when it does not run
		}
	}()
	return nil
}

// firstCycleTimeout is how long the first cycle may take, on a machine on which two Slurms have just started.
const firstCycleTimeout = 2 * time.Minute

// start starts the timer and the daemon, and returns after its first cycle.
func (d *daemon) start(ctx context.Context) error {
	err := d.runExpire(ctx)
	if err != nil {
		return err
	}
	if d.process, err = startProcess("fairbridge run", exec.Command(d.binaryPath, "--config", d.configPath, "run", "--allow-root"), d.logPath); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, firstCycleTimeout, fmt.Errorf("fairbridge made no cycle within %v", firstCycleTimeout))
	defer cancel()
	for {
		if err := d.process.checkRunning(); err != nil {
			return err
		}
		if n, err := d.countCycles(ctx); err == nil && n > 0 {
			return nil
		}
		if sleepContext(ctx, 200*time.Millisecond) != nil {
			return fmt.Errorf("waiting for the daemon: %w: %s", context.Cause(ctx), d.process.outputTail)
		}
	}
}

// countCycles returns the number of its last cycle.
func (d *daemon) countCycles(ctx context.Context) (uint64, error) {
	m, err := d.db.Memo(ctx, d.access.Cluster, &bridge.Partition{Name: "gpu"})
	if err != nil {
		return 0, fmt.Errorf("asking the database for the last cycle: %w", err)
	}
	return m.CycleSeq, nil
}

// stop stops the daemon.
func (d *daemon) stop() error {
	var err error
	if d.stopExpiry != nil {
		d.stopExpiry()
	}
	if d.process != nil {
		err = d.process.stop()
	}
	if d.db != nil {
		d.db.Close()
	}
	return err
}
