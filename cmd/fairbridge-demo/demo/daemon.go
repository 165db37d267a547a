package demo

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/stores"
)

//go:embed fairbridge.yaml.tmpl
var configTemplateText string

var configTemplate = template.Must(template.New("fairbridge.yaml").Funcs(template.FuncMap{"q": strconv.Quote, "list": yamlList}).Parse(configTemplateText))

// yamlList writes words as a YAML list.
func yamlList(words []string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = strconv.Quote(w)
	}
	return "[" + strings.Join(q, ", ") + "]"
}

// paramsByPolicy are what suits a policy to a day that lasts minutes.
var paramsByPolicy = map[string]string{
	"tiresias":   "queues: [80], min_run: 6s, promote_knob: 0",
	"drf":        "min_run: 6s, reserve: 8s",
	"astraea":    "lease: 10s, delay: 5s, starve_after: 30s, window: 60s",
	"fifo":       "",
	"fairbridge": "min_run: 6s",
}

// daemon is fairbridge beside a site.
type daemon struct {
	binaryPath string
	configPath string // its file
	access     clusterAccess
	db         *stores.Stores
	process    *process
	stopExpiry func() // ends the timer; nil: it does not run
}

// installDaemon configures fairbridge for the site and makes its database.
func installDaemon(ctx context.Context, o *Options, dir, dsn, probes string, a clusterAccess) (*daemon, error) {
	d := &daemon{binaryPath: o.FairbridgePath, configPath: filepath.Join(dir, "fairbridge.yaml"), access: a}
	dsnFile := filepath.Join(dir, "dsn")
	if err := os.WriteFile(dsnFile, []byte(dsn), 0o600); err != nil {
		return nil, fmt.Errorf("configuring fairbridge: %w", err)
	}
	var text strings.Builder
	err := configTemplate.Execute(&text, map[string]any{
		"Access": a, "DSN": dsnFile, "Policy": o.Policy, "Params": cmp.Or(o.Params, paramsByPolicy[o.Policy]), "Dir": dir, "Weights": WeightsByAccount, "Probes": probes,
	})
	if err == nil {
		err = os.WriteFile(d.configPath, []byte(text.String()), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("configuring fairbridge: %w", err)
	}
	if _, err := d.runCommand(ctx, "db", "init"); err != nil {
		return nil, err
	}
	d.db, err = stores.Open(ctx, accounting.Config{DSN: dsn})
	return d, err
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

// start starts the timer and the daemon, and returns after its first cycle.
func (d *daemon) start(ctx context.Context) error {
	err := d.runExpire(ctx)
	if err != nil {
		return err
	}
	if d.process, err = startProcess("fairbridge run", exec.Command(d.binaryPath, "--config", d.configPath, "run", "--allow-root")); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 30*time.Second, errors.New("fairbridge made no cycle within 30 s"))
	defer cancel()
	for {
		if err := d.process.checkRunning(); err != nil {
			return err
		}
		if m, err := d.db.Memo(ctx, d.access.Cluster, "gpu"); err == nil && m.CycleSeq > 0 {
			return nil
		}
		if sleepContext(ctx, 200*time.Millisecond) != nil {
			return fmt.Errorf("waiting for the daemon: %w: %s", context.Cause(ctx), d.process.outputTail)
		}
	}
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
