package door

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// Config bounds what the door lets through.
type Config struct {
	// MayWrite says, right before each write, whether we are still the leader
	// and allowed to write; its error says why not. Without it nothing is
	// written.
	MayWrite func(context.Context) error `yaml:"-"`
	// StopFile stops all writing while it exists (path). One that cannot be
	// looked at stops too.
	StopFile string `yaml:"stop_file"`
	// Rate is the writes a second, at most; default 20. Slurmctld takes a few
	// hundred, and people want some too.
	Rate float64 `yaml:"rate"`
	// Scontrol is the command that requeues where REST cannot (API before
	// v0.0.45), with whatever must precede it, e.g. [ssh, ctl, scontrol].
	Scontrol []string `yaml:"scontrol"`
	// Scancel is the command that signals a job's script, likewise; default:
	// Scontrol with scancel in place of scontrol.
	Scancel []string `yaml:"scancel"`
	// ScontrolTimeout bounds one run of either. Default 30 s.
	ScontrolTimeout time.Duration `yaml:"scontrol_timeout"`
	// LeaseMax is the longest lease from now (duration). Default 1h.
	LeaseMax time.Duration `yaml:"lease_max"`
	// AllowHardHold lets priority-0 holds through. If we die they stay until a
	// person releases them.
	AllowHardHold bool `yaml:"allow_hard_hold"`
}

// Door writes to one cluster. It is safe for concurrent use.
type Door struct {
	cfg    Config
	client *rest.Client
	pace   *rate.Limiter
	ran    atomic.Int64
	now    func() time.Time

	mu   sync.Mutex
	owed map[int64]debt // held by a hand-back whose release failed
}

// New makes the door to the client's cluster.
func New(client *rest.Client, cfg Config) *Door {
	if cfg.Rate <= 0 {
		cfg.Rate = 20
	}
	if len(cfg.Scontrol) == 0 {
		cfg.Scontrol = []string{"scontrol"}
	}
	if len(cfg.Scancel) == 0 {
		cfg.Scancel = ScancelBeside(cfg.Scontrol)
	}
	if cfg.ScontrolTimeout <= 0 {
		cfg.ScontrolTimeout = 30 * time.Second
	}
	if cfg.LeaseMax <= 0 {
		cfg.LeaseMax = time.Hour
	}
	burst := max(1, int(cfg.Rate))
	return &Door{cfg: cfg, client: client, now: time.Now, owed: map[int64]debt{},
		pace: rate.NewLimiter(rate.Limit(cfg.Rate), burst)}
}

// Writes counts what was sent to Slurm so far, answered or not: requests that
// write, and runs of scontrol and scancel.
func (d *Door) Writes() int64 { return d.client.Conn().Sent() + d.ran.Load() }

// Apply carries out one edit. A nil error means that Slurm said yes; whether
// it happened, the next view shows. Errors are *slurm.Error.
func (d *Door) Apply(ctx context.Context, e slurm.Edit) error {
	if err := d.payOwed(ctx); err != nil {
		return err
	}
	if err := check(e); err != nil {
		return &slurm.Error{Class: slurm.Rejected, Err: err}
	}
	switch e.Kind {
	case slurm.Requeue:
		return d.requeue(ctx, e)
	case slurm.Warn:
		return d.warn(ctx, e)
	case slurm.HandBack:
		return d.handBack(ctx, e, func(context.Context) error { return nil })
	case slurm.SetGPUs:
		return d.gpus(ctx, e)
	}
	f, err := d.fieldFor(d.client.API(), e)
	if err != nil {
		return &slurm.Error{Class: slurm.Rejected, Err: err}
	}
	return d.update(ctx, e.Run, f)
}
