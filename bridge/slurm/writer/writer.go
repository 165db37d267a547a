package writer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"time"

	"golang.org/x/time/rate"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// Config bounds what may be written.
type Config struct {
	// CheckMayWrite is called right before each write: its error says why we may not
	// write, as when we are no longer the leader. Without it nothing is written.
	CheckMayWrite func(context.Context) error `yaml:"-"`
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
	// Now is our clock. Default time.Now.
	Now func() time.Time `yaml:"-"`
}

// Writer writes to one cluster. It is safe for concurrent use.
type Writer struct {
	client              *rest.Client
	guard               writeGuard
	encoder             fieldEncoder
	commands            slurmCommands
	unfinishedHandBacks unfinishedHandBacks
}

// New returns the writer to the client's cluster.
func New(client *rest.Client, cfg Config) *Writer {
	if cfg.Rate <= 0 {
		cfg.Rate = 20
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if len(cfg.Scontrol) == 0 {
		cfg.Scontrol = []string{"scontrol"}
	}
	if len(cfg.Scancel) == 0 {
		cfg.Scancel = ScancelFromScontrol(cfg.Scontrol)
	}
	if cfg.ScontrolTimeout <= 0 {
		cfg.ScontrolTimeout = 30 * time.Second
	}
	if cfg.LeaseMax <= 0 {
		cfg.LeaseMax = time.Hour
	}
	return &Writer{
		client: client,
		guard: writeGuard{rateLimiter: rate.NewLimiter(rate.Limit(cfg.Rate), max(1, int(cfg.Rate))), stopFile: cfg.StopFile, currentAPI: client.API,
			checkMayWrite: cfg.CheckMayWrite},
		encoder:  fieldEncoder{leaseMax: cfg.LeaseMax, allowHardHold: cfg.AllowHardHold, now: cfg.Now},
		commands: slurmCommands{scontrol: cfg.Scontrol, scancel: cfg.Scancel, timeout: cfg.ScontrolTimeout},
	}
}

// WriteCount counts what was sent to Slurm so far, answered or not: requests that
// write, and runs of scontrol and scancel.
func (d *Writer) WriteCount() int64 {
	return d.client.Conn().WriteCount() + d.commands.writeCount.Load()
}

// ApplyEdit carries out one edit. A nil error means that Slurm said yes; whether
// it happened, the next view shows. Errors are *slurm.Error.
func (d *Writer) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	if err := d.finishHandBacks(ctx); err != nil {
		return err
	}
	if err := checkEdit(e); err != nil {
		return &slurm.Error{Class: slurm.ErrorBadRequest, Err: err}
	}
	if call, ok := handlerByKind[e.Kind]; ok {
		return call(d, ctx, e)
	}
	f, err := d.encoder.encodeEdit(d.client.API(), e)
	if err != nil {
		return &slurm.Error{Class: slurm.ErrorBadRequest, Err: err}
	}
	return d.updateJobField(ctx, e.Run, f)
}

// handlerByKind has the edits that are calls of their own, not updates of one field.
var handlerByKind = map[slurm.EditKind]func(*Writer, context.Context, slurm.Edit) error{
	slurm.EditRequeue: (*Writer).requeueJob, slurm.EditWarn: (*Writer).sendWarningSignal, slurm.EditSetGPUs: (*Writer).setGPUs, slurm.EditSetShards: (*Writer).setShards,
	slurm.EditHandBackPriority: func(d *Writer, ctx context.Context, e slurm.Edit) error {
		return handBack{d, e.Run, e.Value}.carryOut(ctx, func(context.Context) error { return nil })
	},
}

// HandBack carries out a hand-back and calls held between its two calls, when
// the hold was accepted. The release is sent whatever held answers.
func (d *Writer) HandBack(ctx context.Context, e slurm.Edit, held func(context.Context) error) error {
	if err := d.finishHandBacks(ctx); err != nil {
		return err
	}
	if err := checkEdit(e); err != nil || e.Kind != slurm.EditHandBackPriority {
		return &slurm.Error{Class: slurm.ErrorBadRequest, Text: fmt.Sprintf("%s is no hand-back", e), Err: err}
	}
	return handBack{d, e.Run, e.Value}.carryOut(ctx, held)
}

// FinishHandBacks releases the jobs that hand-backs left held: those given, which
// an earlier process began and did not live to finish, and our own whose release
// failed. These are tried again before every write, too.
func (d *Writer) FinishHandBacks(ctx context.Context, begun []slurm.Edit) error {
	for _, e := range begun {
		d.unfinishedHandBacks.add(handBack{d, e.Run, e.Value})
	}
	if len(d.unfinishedHandBacks.list()) == 0 {
		return nil
	}
	if err := d.guard.waitForPermission(ctx); err != nil {
		return err
	}
	return d.finishHandBacks(ctx)
}

func (d *Writer) finishHandBacks(ctx context.Context) error {
	for _, h := range d.unfinishedHandBacks.list() {
		if err := h.finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// CanReadNice reports whether scontrol, which reads a job's nice where REST does
// not show it, is there to be run.
func (d *Writer) CanReadNice() bool { return d.commands.canReadNice() }

// ReadNice asks scontrol for a job's nice. Slurm 22.05 shows a nice by REST only
// above 0, and one that is not known must not be written over.
func (d *Writer) ReadNice(ctx context.Context, job int64) (int64, error) {
	return d.commands.readNice(ctx, job)
}

// ReadNices asks scontrol for the nice of every job, by id. One whose record can be read in two
// ways is left out.
func (d *Writer) ReadNices(ctx context.Context) (map[int64]int64, error) {
	return d.commands.readNices(ctx)
}

// Bounds of what is sent, inside Slurm's own.
const (
	maxJobID        = 0x03ffffff // Slurm's largest
	maxNodesPerEdit = 10_000
)

var (
	nodeNamePattern  = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,253}[A-Za-z0-9])?$`)
	gpuTypePattern   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)
	sluidPattern     = regexp.MustCompile(`^s[0-9A-Z]{5,30}$`)
	arrayTaskPattern = regexp.MustCompile(`^[1-9][0-9]{0,8}_[0-9]{1,8}$`)
)

// checkEdit turns down an edit that no version can carry out as meant.
func checkEdit(e slurm.Edit) error {
	if e.Run.Job <= 0 || e.Run.Job > maxJobID {
		return fmt.Errorf("%d is not a job id", e.Run.Job)
	}
	if e.Run.SLUID != "" && !sluidPattern.MatchString(e.Run.SLUID) {
		return fmt.Errorf("%.40q is not a SLUID", e.Run.SLUID)
	}
	if e.Array != "" && !arrayTaskPattern.MatchString(e.Array) {
		return fmt.Errorf("%.40q is not the address of an array task", e.Array)
	}
	f, ok := e.Kind.Form()
	switch {
	case !ok:
		return fmt.Errorf("unknown kind of edit %.40q", e.Kind)
	case f.HasText && e.Text != "" && !slurm.IsAdminComment(e.Text):
		return fmt.Errorf("%.130q is not a text of ours", e.Text)
	case f.HasGPUType && e.Text != "" && !gpuTypePattern.MatchString(e.Text):
		return fmt.Errorf("%.70q is not a type of GPU", e.Text)
	case f.HasNodes && f.ValueName != "":
		return errors.Join(checkNodeNames(e.Nodes), checkRange(f.ValueName, e.Value, f.MinValue, f.MaxValue))
	case f.HasNodes:
		return checkNodeNames(e.Nodes)
	case f.HasSignal && !e.Signal.IsKnown(): // Slurm would kill the job
		return fmt.Errorf("%.20q is not a signal to warn by", e.Signal)
	case f.ValueName != "":
		return checkRange(f.ValueName, e.Value, f.MinValue, f.MaxValue)
	}
	return nil
}

func checkRange(what string, v, lo, hi int64) error {
	if v < lo || v > hi {
		return fmt.Errorf("%s %d is outside %d to %d", what, v, lo, hi)
	}
	return nil
}

func checkNodeNames(nodes []string) error {
	if len(nodes) > maxNodesPerEdit {
		return fmt.Errorf("%d nodes are more than %d", len(nodes), maxNodesPerEdit)
	}
	for _, n := range nodes {
		if !nodeNamePattern.MatchString(n) {
			return fmt.Errorf("%.60q is not the name of a node", n)
		}
	}
	return nil
}

// The reasons for which nothing is written, found by errors.Is.
var (
	ErrStopFile    = errors.New("the STOP file forbids all writing")
	ErrNotLeader   = errors.New("not allowed to write")
	ErrReadOnlyAPI = errors.New("this API version is only read")
)

// writeGuard says whether something may be written now.
type writeGuard struct {
	rateLimiter   *rate.Limiter
	stopFile      string
	currentAPI    func() rest.API
	checkMayWrite func(context.Context) error
}

// waitForPermission waits for its turn and then checks, last thing before the write,
// whether it may be done at all.
func (g *writeGuard) waitForPermission(ctx context.Context) error {
	if err := g.rateLimiter.Wait(ctx); err != nil {
		return &slurm.Error{Class: slurm.ErrorBusy, Text: "waiting for a turn to write", Err: err}
	}
	if err := g.checkStopFile(); err != nil {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: err}
	}
	if api := g.currentAPI(); !api.CanWrite {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: fmt.Errorf("%s: %w", api.Name(), ErrReadOnlyAPI)}
	}
	if g.checkMayWrite == nil {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: ErrNotLeader}
	}
	if err := g.checkMayWrite(ctx); err != nil {
		return &slurm.Error{Class: slurm.ErrorForbidden, Err: fmt.Errorf("%w: %w", ErrNotLeader, err)}
	}
	if err := ctx.Err(); err != nil {
		return &slurm.Error{Class: slurm.ErrorBusy, Text: "before the write was sent", Err: err}
	}
	return nil
}

// checkStopFile looks for the STOP file.
func (g *writeGuard) checkStopFile() error {
	if g.stopFile == "" {
		return nil
	}
	_, err := os.Lstat(g.stopFile)
	switch {
	case err == nil:
		return fmt.Errorf("%s exists: %w", g.stopFile, ErrStopFile)
	case errors.Is(err, os.ErrNotExist):
		return nil
	}
	return fmt.Errorf("cannot look for it (%w): %w", err, ErrStopFile)
}
