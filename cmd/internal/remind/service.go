// Package remind tells owners of idle GPUs: it looks every few minutes while the daemon leads, writes down whom it
// is about to tell, and sends mail or posts to a webhook. What is decided is package bridge/reminders.
//
// A message is sent at most once. It is claimed in the database first, in a transaction that fails unless the daemon
// leads; who claimed it sends it, at once. If the daemon dies between, the message is lost and the next step of the
// job is told: a message too few is better than one too many. A channel is tried again only where what was
// sent cannot have arrived.
package remind

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	store "fairbridge/accounting/reminders"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/reminders"
	"fairbridge/bridge/reminders/counts"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/settings"
)

const (
	// lookInterval is less than the half hour that readings of a look reach back: spells go on from one to the next.
	lookInterval = 5 * time.Minute
	// lookTimeout is how long a look may take, sending included.
	lookTimeout = 4 * time.Minute
	// retryPause is how long it waits before another try, times the tries so far.
	retryPause = 5 * time.Second
)

// Service tells owners. Its methods may be called from two goroutines: NoteCycle of one, Run of another.
type Service struct {
	store    *store.Store
	rules    reminders.Rules
	channels []channel
	metrics  *counts.Metrics
	log      *slog.Logger
	now      func() time.Time
	pause    time.Duration

	lastHandOver time.Time
	cycles       chan seenCycle
	lastError    string
	lastRefusals map[string]string // as in round
}

// seenCycle is what a cycle that led saw: the jobs that run.
type seenCycle struct {
	epoch int64
	jobs  []slurm.Job
}

// New makes the service of a configuration; nil, nil: owners are not told.
func New(f *settings.File, s *store.Store, r prometheus.Registerer, log *slog.Logger) (*Service, error) {
	if !f.Reminders.IsOn() {
		return nil, nil
	}
	channels, err := newChannels(&f.Reminders, time.Now)
	if err != nil {
		return nil, err
	}
	return &Service{
		store: s, rules: f.ReminderRules(), channels: channels, metrics: counts.NewMetrics(r), log: log, now: time.Now, pause: retryPause, cycles: make(chan seenCycle, 1),
	}, nil
}

// NoteCycle hands over what a cycle saw, if it is time to look. One that did not lead, or whose view is not
// believed, leads to nothing.
func (s *Service) NoteCycle(r *cycle.Report) {
	if s == nil || r.Epoch == 0 || r.View == nil || r.Result == cycle.ResultCutShort || s.now().Sub(s.lastHandOver) < lookInterval {
		return
	}
	select {
	case s.cycles <- seenCycle{r.Epoch, runningJobs(r.View.Jobs)}:
		s.lastHandOver = s.now()
	default: // the last look goes on
	}
}

func runningJobs(jobs []slurm.Job) (running []slurm.Job) {
	for i := range jobs {
		if j := &jobs[i]; j.IsRunning() {
			running = append(running, *j)
			running[len(running)-1].Partitions = slices.Clone(j.Partitions)
		}
	}
	return running
}

// Run looks at each cycle that is handed over, until the context ends.
func (s *Service) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case c := <-s.cycles:
			s.noteError(ctx, s.look(ctx, c))
		}
	}
}

// noteError logs why looking fails, once while it is the same.
func (s *Service) noteError(ctx context.Context, err error) {
	text := ""
	if err != nil && ctx.Err() == nil {
		s.metrics.NoteFailure()
		if text = err.Error(); text != s.lastError {
			s.log.Warn("not every owner is told of idle GPUs", "error", err)
		}
	}
	s.lastError = text
}

// look decides whom to tell, and tells.
func (s *Service) look(ctx context.Context, c seenCycle) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack()) // cycles matter more
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	at := s.now()
	state, err := s.store.ReadState(ctx, s.rules.Cluster, at)
	if err != nil {
		return err
	}
	d := reminders.Decide(&s.rules, &state, c.jobs, at)
	if err := s.store.SaveLook(ctx, s.rules.Cluster, c.epoch, at, &d); err != nil {
		return err
	}
	s.metrics.NoteLook(len(d.Spells), len(d.Withheld))
	return s.tellAll(ctx, c.epoch, at, d.Messages)
}

// TrialSteps are those of a preview where reminders are off.
var TrialSteps = []time.Duration{30 * time.Minute, 2 * time.Hour, 8 * time.Hour}

// Preview decides as a look would now, and neither stores nor sends anything. Where reminders are off it goes by TrialSteps.
func Preview(ctx context.Context, f *settings.File, s *store.Store, jobs []slurm.Job, at time.Time) (*reminders.Decision, error) {
	rules := f.ReminderRules()
	if len(rules.Steps) == 0 {
		rules.Steps = TrialSteps
	}
	state, err := s.ReadState(ctx, rules.Cluster, at)
	if err != nil {
		return nil, err
	}
	d := reminders.Decide(&rules, &state, jobs, at)
	return &d, nil
}
