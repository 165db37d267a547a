package speeds

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

// newestProfiles is how many jobs of a class stand for it.
const newestProfiles = 20

var (
	qProfilesPut     = sql.QueryText("profiles_put")
	qProfiles        = sql.QueryText("profiles_of_jobs")
	qProfilesOfClass = sql.QueryText("profiles_of_classes")
)

// settledAfter is how long a job was watched before its own memory stands for it: one that has just begun may not have
// taken all of it.
const settledAfter = 10 * time.Minute

// keptProfile is what was measured of a job, from some time on.
type keptProfile struct {
	bridge.Profile
	first, last time.Time
}

// RecordProfiles stores what one look showed of jobs on their GPUs, each job once, all or none. A look that is stored
// already counts once.
func (s *Store) RecordProfiles(ctx context.Context, cluster string, list []bridge.ProfileReport) error {
	var jobs, mem []int64
	var users, classes []string
	var times []time.Time
	var busy, memBusy []*float64
	for i := range list {
		r := &list[i]
		jobs, mem, times = append(jobs, int64(r.Job)), append(mem, r.MemMB), append(times, r.At)
		users, classes = append(users, value.ValidText(r.User)), append(classes, value.ValidText(r.Class))
		var b, m *float64
		if r.Busy.Known && r.MemBusy.Known {
			b, m = &r.Busy.Value, &r.MemBusy.Value
		}
		busy, memBusy = append(busy, b), append(memBusy, m)
	}
	_, err := s.DB.Exec(ctx, qProfilesPut, cluster, jobs, users, classes, times, mem, busy, memBusy)
	return accounting.WrapError("storing measured profiles", err)
}

// newProfile returns a profile of so many looks.
func newProfile(mem, looks int64, busy, memBusy float64, source string) bridge.Profile {
	p := bridge.Profile{MemMB: mem, Source: source}
	if looks > 0 {
		p.Busy, p.MemBusy = policy.KnownValue(busy), policy.KnownValue(memBusy)
	}
	return p
}

// readProfiles reads what was measured of jobs.
func (k *known) readProfiles(ctx context.Context, q accounting.Querier, cluster string) error {
	rows, err := q.Query(ctx, qProfiles, cluster, k.readAt.Add(-jobsBack), maxRows)
	if err != nil {
		return err
	}
	var key jobKey
	var mem, looks int64
	var busy, memBusy float64
	var first, last time.Time
	_, err = pgx.ForEachRow(rows, []any{&key.job, &key.user, &key.class, &mem, &looks, &busy, &memBusy, &first, &last}, func() error {
		k.profiles[key] = keptProfile{newProfile(mem, looks, busy, memBusy, "measured"), first, last}
		return nil
	})
	return err
}

// readClassProfiles reads what was measured of classes of jobs.
func (k *known) readClassProfiles(ctx context.Context, q accounting.Querier, cluster string) error {
	rows, err := q.Query(ctx, qProfilesOfClass, cluster, k.readAt.Add(-classBack), newestProfiles, maxRows)
	if err != nil {
		return err
	}
	var key classKey
	var mem, looks int64
	var busy, memBusy float64
	_, err = pgx.ForEachRow(rows, []any{&key.user, &key.class, &mem, &looks, &busy, &memBusy}, func() error {
		k.profilesByClass[key] = newProfile(mem, looks, busy, memBusy, "class")
		return nil
	})
	return err
}

// profileOf returns what was measured of the job itself, and where that does not tell its memory, of its class. Of a
// job that was not watched for long the greater memory counts. What was measured under its number before it was
// submitted is another's.
func (k *known) profileOf(j *policy.Job) bridge.Profile {
	key := classKey{j.User, bridge.SpeedClass(j.Class, j.Name)}
	class := k.profilesByClass[key]
	own, ok := k.profiles[jobKey{j.ID, key}]
	switch {
	case !ok || own.first.Before(j.Arrive) || own.MemMB == 0:
		return class
	case own.last.Sub(own.first) < settledAfter:
		own.MemMB = max(own.MemMB, class.MemMB)
	}
	return own.Profile
}
