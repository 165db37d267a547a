package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// daemon is fairbridge as installed beside the site, with default intervals and budgets.
type daemon struct {
	program, config, log string
	command              *exec.Cmd // the running one
	stopTimer            context.CancelFunc
	timerEnded           chan struct{}
}

// configText is the configuration, all else being default: %s are slurmrestd's address, the
// token's file, scontrol, the file of the connection string, the mode, and two paths.
const configText = `
cluster: lab
slurm: {url: %s, token_file: %s, scontrol: [%s]}
database: {dsn_file: %s}
partitions:
  - {name: gpu, mode: %s, policy: fairbridge}
stop_file: %s
journal: %s
listen: ""
`

// installDaemon builds fairbridge, configures it and makes its database.
func installDaemon(ctx context.Context, s *loadSite, mode string) (*daemon, error) {
	d := &daemon{program: s.path("fairbridge"), config: s.path("fairbridge.yaml"), log: s.path("log")}
	build := exec.CommandContext(ctx, "go", "build", "-o", d.program, "fairbridge/cmd/fairbridge")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building fairbridge: %w\n%s", err, out)
	}
	var scontrol []string // by the user of the token, as on a site
	for _, word := range append([]string{"env", "AS=" + s.slurm.TokenUser}, s.slurm.Command(ctx, s.slurm.TokenUser, "scontrol").Args...) {
		scontrol = append(scontrol, fmt.Sprintf("%q", word))
	}
	text := fmt.Sprintf(
		configText,
		s.slurm.URL,
		s.slurm.TokenFile,
		strings.Join(scontrol, ", "),
		s.path("dsn"),
		mode,
		s.path("STOP"),
		s.path("journal"),
	)
	err := errors.Join(
		os.WriteFile(s.path("dsn"), []byte(s.postgres.DSN("postgres")), 0o600),
		os.WriteFile(d.config, []byte(text), 0o600),
	)
	if err != nil {
		return nil, err
	}
	return d, d.run(ctx, "db", "init")
}

// run runs one of fairbridge's commands to its end.
func (d *daemon) run(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, d.program, append([]string{"-c", d.config}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("fairbridge %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// start starts the daemon, and beside it the timer that runs "fairbridge expire" every minute.
func (d *daemon) start(ctx context.Context) error {
	log, err := os.OpenFile(d.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := d.run(ctx, "expire"); err != nil {
		return err
	}
	timer, cancel := context.WithCancel(ctx)
	d.stopTimer, d.timerEnded = cancel, make(chan struct{})
	go func() {
		defer close(d.timerEnded)
		for sleep(timer, time.Minute) == nil {
			_ = d.run(timer, "expire")
		}
	}()
	d.command = exec.Command(d.program, "-c", d.config, "run", "--allow-root")
	d.command.Stderr = log
	return d.command.Start()
}

// stop ends the daemon and its timer.
func (d *daemon) stop() error {
	if d.command == nil || d.command.Process == nil {
		return nil
	}
	d.stopTimer()
	<-d.timerEnded
	err := d.command.Process.Signal(syscall.SIGTERM)
	if ended := d.command.Wait(); ended != nil {
		text, _ := os.ReadFile(d.log)
		err = errors.Join(err, fmt.Errorf("fairbridge run: %w\n%s", ended, text))
	}
	d.command = nil
	return err
}
