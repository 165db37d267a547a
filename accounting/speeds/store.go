// Package speeds keeps what jobs reported of how fast they are on which GPUs, what restarts
// were seen by those reports to cost them, their training losses, and what probes measured of them on their GPUs.
package speeds

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

// Store keeps speeds in a database. It is safe for concurrent use.
type Store struct {
	DB *accounting.DB

	mu             sync.Mutex
	knownByCluster map[string]*known
}

// What is read: speeds of jobs that may run again and those of their classes, so many rows of
// each at most, the newest; and how old it may be, since a cycle need not read it anew.
const (
	jobsBack   = 30 * 24 * time.Hour
	classBack  = 180 * 24 * time.Hour
	maxRows    = 20_000
	refreshAge = 2 * time.Minute
)

var qJobs, qClasses = sql.QueryText("speeds_of_jobs"), sql.QueryText("speeds_of_classes")

// classKey is whose jobs of which class.
type classKey struct{ user, class string }

// jobKey is one job of a class.
type jobKey struct {
	job policy.JobID
	classKey
}

// ownSpeeds are what one job reported.
type ownSpeeds struct {
	speeds []bridge.SeenSpeed
	batch  *policy.BatchRange
	first  time.Time // of its reports
}

// known is what was read of one cluster.
type known struct {
	readAt            time.Time
	byJob             map[jobKey]*ownSpeeds
	byClass           map[classKey][]bridge.SeenSpeed // by SpeedClass, and again by RecurringClass
	restartsByClass   map[classKey]bridge.RestartCost
	restartsByAccount map[string]bridge.RestartCost
	losses            map[lossKey][]keptLoss
	profiles          map[jobKey]keptProfile
	profilesByClass   map[classKey]bridge.Profile
}

// History is what is told of jobs; nil where nothing is known.
type History struct {
	SpeedsOf      func(*policy.Job) bridge.SpeedHistory
	RestartCostOf func(*policy.Job) bridge.RestartCost
	LossesOf      func(*policy.Job) bridge.LossHistory
	ProfileOf     func(*policy.Job) bridge.Profile
}

// ReadSpeeds returns what tells the speeds and losses of jobs and what restarts cost them: as it was read a
// moment ago, or anew. A nil Store knows nothing.
func (s *Store) ReadSpeeds(ctx context.Context, q accounting.Querier, cluster string, now time.Time) (History, error) {
	if s == nil {
		return History{}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.knownByCluster[cluster]; k != nil {
		if age := now.Sub(k.readAt); age >= 0 && age < refreshAge {
			return k.teller(), nil
		}
	}
	k := &known{
		readAt: now, byJob: map[jobKey]*ownSpeeds{}, byClass: map[classKey][]bridge.SeenSpeed{},
		restartsByClass: map[classKey]bridge.RestartCost{}, restartsByAccount: map[string]bridge.RestartCost{}, losses: map[lossKey][]keptLoss{},
		profiles: map[jobKey]keptProfile{}, profilesByClass: map[classKey]bridge.Profile{},
	}
	for _, read := range []func(context.Context, accounting.Querier, string) error{k.readJobs, k.readClasses, k.readRestarts, k.readLosses, k.readProfiles, k.readClassProfiles} {
		if err := read(ctx, q, cluster); err != nil {
			return History{}, err
		}
	}
	if s.knownByCluster == nil {
		s.knownByCluster = map[string]*known{}
	}
	s.knownByCluster[cluster] = k
	return k.teller(), nil
}

// teller tells what is known.
func (k *known) teller() (out History) {
	if len(k.byJob) > 0 || len(k.byClass) > 0 {
		out.SpeedsOf = k.speedsOf
	}
	if len(k.restartsByClass) > 0 || len(k.restartsByAccount) > 0 {
		out.RestartCostOf = k.restartCostOf
	}
	if len(k.losses) > 0 {
		out.LossesOf = k.lossesOf
	}
	if len(k.profiles) > 0 || len(k.profilesByClass) > 0 {
		out.ProfileOf = k.profileOf
	}
	return out
}

// readJobs reads what jobs reported.
func (k *known) readJobs(ctx context.Context, q accounting.Querier, cluster string) error {
	rows, err := q.Query(ctx, qJobs, cluster, k.readAt.Add(-jobsBack), maxRows)
	if err != nil {
		return err
	}
	var key jobKey
	var v bridge.SeenSpeed
	var batch *policy.BatchRange
	var first time.Time
	_, err = pgx.ForEachRow(rows, []any{&key.job, &key.user, &key.class, &v.Type, &v.Devices, &v.Nodes, &v.BatchSize, &v.Count, &v.StepsPerSecond, &v.RelativeSpread, &batch, &first}, func() error {
		own := k.byJob[key]
		if own == nil {
			own = &ownSpeeds{batch: batch, first: first}
			k.byJob[key] = own
		}
		own.speeds = append(own.speeds, v)
		if own.batch == nil {
			own.batch = batch
		}
		if first.Before(own.first) {
			own.first = first
		}
		return nil
	})
	return err
}

// readClasses reads what classes of jobs reported.
func (k *known) readClasses(ctx context.Context, q accounting.Querier, cluster string) error {
	rows, err := q.Query(ctx, qClasses, cluster, k.readAt.Add(-classBack), maxRows)
	if err != nil {
		return err
	}
	var key classKey
	var v bridge.SeenSpeed
	_, err = pgx.ForEachRow(rows, []any{&key.user, &key.class, &v.Type, &v.Devices, &v.Nodes, &v.BatchSize, &v.Count, &v.StepsPerSecond, &v.RelativeSpread}, func() error {
		k.byClass[key] = append(k.byClass[key], v)
		if counted := bridge.RecurringClass(key.class); counted != "" {
			at := classKey{key.user, counted}
			k.byClass[at] = append(k.byClass[at], v)
		}
		return nil
	})
	return err
}

// speedsOf returns what is known of a job. Slurm counts jobs anew some day: what was reported
// under its number before it was submitted is another's.
func (k *known) speedsOf(j *policy.Job) bridge.SpeedHistory {
	key := classKey{j.User, bridge.SpeedClass(j.Class, j.Name)}
	var out bridge.SpeedHistory
	out.FindClass(key.class, func(class string) []bridge.SeenSpeed { return k.byClass[classKey{j.User, class}] })
	if own := k.byJob[jobKey{j.ID, key}]; own != nil && !own.first.Before(j.Arrive) {
		out.Own, out.Batch = own.speeds, own.batch
	}
	return out
}

// maxKeptLosses is how many losses of a job are kept: of more, every other one is forgotten, so that what
// is left covers the whole of its training. They stand in every snapshot.
const maxKeptLosses = 50

// maxLossRows bounds how many losses are read, the newest.
const maxLossRows = 200_000

var (
	qLossesRewind, qLossesPut = sql.QueryText("losses_rewind"), sql.QueryText("losses_put")
	qLossesThin, qLosses      = sql.QueryText("losses_thin"), sql.QueryText("losses_of_jobs")
)

// lossKey is one job, by its user.
type lossKey struct {
	job  policy.JobID
	user string
}

// keptLoss is a loss that was reported at some time.
type keptLoss struct {
	policy.LossPoint
	totalSteps float64
	at         time.Time
}

// RecordLosses stores reports, all or none. A report that is stored already counts once; one of fewer steps than
// those before it tells that work was lost, and what was reported of that is forgotten.
func (s *Store) RecordLosses(ctx context.Context, cluster string, list []bridge.LossReport) error {
	if len(list) == 0 {
		return nil
	}
	return s.DB.RunTx(ctx, "storing reported losses", func(tx pgx.Tx) error {
		for i := range list {
			r := &list[i]
			user := value.ValidText(r.User)
			if _, err := tx.Exec(ctx, qLossesRewind, cluster, int64(r.Job), user, r.Point.Step, r.At); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, qLossesPut, cluster, int64(r.Job), user, r.Point.Step, r.Point.Loss, r.TotalSteps, r.At); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, qLossesThin, cluster, int64(r.Job), user, maxKeptLosses); err != nil {
				return err
			}
		}
		return nil
	})
}

// readLosses reads what jobs reported of their losses, by step.
func (k *known) readLosses(ctx context.Context, q accounting.Querier, cluster string) error {
	rows, err := q.Query(ctx, qLosses, cluster, k.readAt.Add(-jobsBack), maxLossRows)
	if err != nil {
		return err
	}
	var key lossKey
	var v keptLoss
	_, err = pgx.ForEachRow(rows, []any{&key.job, &key.user, &v.Step, &v.Loss, &v.totalSteps, &v.at}, func() error {
		k.losses[key] = append(k.losses[key], v)
		return nil
	})
	return err
}

// lossesOf returns what a job reported. What was reported under its number before it was submitted is another's.
func (k *known) lossesOf(j *policy.Job) (out bridge.LossHistory) {
	var newest time.Time
	for _, l := range k.losses[lossKey{j.ID, j.User}] {
		if l.at.Before(j.Arrive) {
			continue
		}
		out.Points = append(out.Points, l.LossPoint)
		if !l.at.Before(newest) {
			newest, out.TotalSteps = l.at, l.totalSteps
		}
	}
	slices.SortFunc(out.Points, func(a, b policy.LossPoint) int { return cmp.Compare(a.Step, b.Step) })
	return out
}
