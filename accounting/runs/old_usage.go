package runs

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/policy"
	"fairbridge/sql"
)

var qRewritten = sql.QueryText("rewritten")

// usageSums remembers sums over segments that ended long ago, so that a cycle
// need not read half a year of history. Decay makes that exact: a sum as of
// one time is a factor away from the sum as of another. The segments stay the
// truth; a sum is dropped when the database says that old ones were rewritten.
type usageSums struct {
	mu           sync.Mutex
	sumByCluster map[string]*usageSum // by cluster
}

// usageSum is decayed use as of at, of all segments that stopped by then.
type usageSum struct {
	sumUntil, madeAt time.Time
	halfLife         time.Duration
	rewriteNumber    int64
	useByUser        map[policy.User]decayedUse // Used is zero in the key
}

// minSummedAge is how old segments are when they are first summed. It is more than
// minStableAge; sums are made anew after as long again.
const minSummedAge = policy.FoldUsageAfter

// sumAt returns the sum of a cluster that is good at now, making it if needed.
// It is not changed afterwards.
func (o *usageSums) sumAt(ctx context.Context, tx pgx.Tx, cluster string, now time.Time, half time.Duration) (*usageSum, error) {
	var rewritten int64
	if err := tx.QueryRow(ctx, qRewritten, cluster).Scan(&rewritten); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.sumByCluster[cluster]
	if s != nil && s.rewriteNumber == rewritten && s.halfLife == half && !now.Before(s.madeAt) && now.Sub(s.madeAt) < minSummedAge {
		return s, nil
	}
	s = &usageSum{sumUntil: now.Add(-minSummedAge), madeAt: now, halfLife: half, rewriteNumber: rewritten, useByUser: map[policy.User]decayedUse{}}
	horizon := usageHorizon(now, half)
	err := readUsage(ctx, tx, cluster, s.sumUntil, half, horizon, horizon, s.sumUntil, false, func(u policy.User, used decayedUse, _ float64) { s.useByUser[u] = used })
	if err != nil {
		return nil, err
	}
	if o.sumByCluster == nil {
		o.sumByCluster = map[string]*usageSum{}
	}
	o.sumByCluster[cluster] = s
	return s, nil
}

// decayedUse is GPU-seconds of which old ones count less: as they are charged, and as they were held.
type decayedUse struct{ charged, held float64 }

// times returns the use of a time by which so much is left of it.
func (u decayedUse) times(factor float64) decayedUse {
	return decayedUse{u.charged * factor, u.held * factor}
}

// decayFactorTo returns the factor from the sum's time to now.
func (s *usageSum) decayFactorTo(now time.Time) float64 {
	return policy.DecayFactor(now.Sub(s.sumUntil).Seconds(), s.halfLife.Seconds())
}

// usageHorizon returns the time before which nothing counts.
func usageHorizon(now time.Time, half time.Duration) time.Time {
	return now.Add(-max(MaxHalfLives*half, 2*minSummedAge))
}

// readUsage calls f with the use of every user, of segments that stopped
// within (from, to], and of open ones if open.
func readUsage(ctx context.Context, tx pgx.Tx, cluster string, at time.Time, half time.Duration, horizon, from, to time.Time, open bool,
	f func(u policy.User, used decayedUse, recent float64)) error {
	rows, err := tx.Query(ctx, qUsage, cluster, at, half.Seconds(), horizon, from, to, open)
	if err != nil {
		return err
	}
	var u policy.User
	var used decayedUse
	var recent float64
	_, err = pgx.ForEachRow(rows, []any{&u.Name, &u.Account, &used.charged, &used.held, &recent}, func() error {
		f(u, used, recent)
		return nil
	})
	return err
}
