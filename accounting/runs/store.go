// Package runs keeps the runs of jobs and the GPUs they held: as polls of Slurm
// see them, and as slurmdbd has them later. Usage is always computed from what was
// held and never accumulated.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/accounting/predictions"
	"fairbridge/accounting/speeds"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/policy"
	"fairbridge/sql"
)

// DefaultHalfLife is Slurm's own default for PriorityDecayHalfLife.
const DefaultHalfLife = 7 * 24 * time.Hour

// Store keeps runs in a database. It fills Record and Past of the port History of
// package bridge. It is safe for concurrent use.
type Store struct {
	DB          *accounting.DB
	HalfLife    time.Duration      // after which past usage counts half; 0: DefaultHalfLife
	Predictions *predictions.Store // what is learnt of run times
	Speeds      *speeds.Store      // what jobs reported of their speed
	oldUsage    usageSums
}

func (s *Store) halfLife() time.Duration { return cmp.Or(s.HalfLife, DefaultHalfLife) }

var qAccountsPut, qAccountUsersPut = sql.QueryText("accounts_put"), sql.QueryText("account_users_put")

// Who says what accounts are entitled to.
const (
	sourceConfig   = "config"
	sourceSlurmdbd = "slurmdbd"
)

// SetConfiguredAccounts makes the entitlements that the configuration gives exactly the
// given ones (Name, Parent, Weight). They override slurmdbd's, account by
// account; an account without Parent keeps its place in slurmdbd's tree.
func (s *Store) SetConfiguredAccounts(ctx context.Context, cluster string, list []policy.Account) error {
	return s.DB.RunTx(ctx, "storing entitlements", func(tx pgx.Tx) error { return putAccounts(ctx, tx, cluster, sourceConfig, list) })
}

func putAccounts(ctx context.Context, tx pgx.Tx, cluster, source string, list []policy.Account) error {
	names, parents, weights := []string{}, []string{}, []float64{}
	for _, a := range list {
		names, parents, weights = append(names, value.ValidText(a.Name)), append(parents, value.ValidText(a.Parent)), append(weights, a.Weight)
	}
	_, err := tx.Exec(ctx, qAccountsPut, cluster, source, names, parents, weights)
	return err
}

// SetSlurmShares makes the tree of accounts as slurmdbd has it exactly the given
// one.
func (s *Store) SetSlurmShares(ctx context.Context, cluster string, list []slurmdb.Association) error {
	accounts, names, of, weights, qos := newAccountTree(list), []string{}, []string{}, []*float64{}, []string{}
	for _, s := range list {
		if s.User == "" {
			continue
		}
		names, of, qos = append(names, value.ValidText(s.User)), append(of, value.ValidText(s.Account)), append(qos, value.ValidText(strings.Join(s.QOS, ",")))
		if weights = append(weights, nil); !s.InheritsShares {
			w := max(float64(s.Shares), weightWithoutShares)
			weights[len(weights)-1] = &w
		}
	}
	return s.DB.RunTx(ctx, "storing slurmdbd's shares", func(tx pgx.Tx) error {
		if err := putAccounts(ctx, tx, cluster, sourceSlurmdbd, accounts); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, qAccountUsersPut, cluster, of, names, weights, qos)
		return err
	})
}

// weightWithoutShares is the weight of an account that slurmdbd gives no shares. A
// weight of 0 would mean that nothing is said.
const weightWithoutShares = 1e-6

// newAccountTree returns the accounts without root, whose children stand on top. An
// account that uses its parent's share (fairshare=parent) is as its parent's
// equal: its place is taken by what stands above.
func newAccountTree(list []slurmdb.Association) []policy.Account {
	above, inherits := map[string]string{}, map[string]bool{}
	for _, s := range list {
		if s.User == "" {
			above[s.Account], inherits[s.Account] = s.ParentAccount, s.InheritsShares
		}
	}
	parent := func(name string) string {
		p := above[name]
		for range above { // at most so deep, even if it were a circle
			if !inherits[p] {
				break
			}
			p = above[p]
		}
		if p == "root" {
			return ""
		}
		return p
	}
	var out []policy.Account
	for _, s := range list {
		if s.User != "" || s.Account == "root" {
			continue
		}
		a := policy.Account{Name: s.Account, Parent: parent(s.Account), Weight: max(float64(s.Shares), weightWithoutShares)}
		if s.InheritsShares {
			a.Weight = 1
		}
		out = append(out, a)
	}
	return out
}

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

var qImports, qImportsPut = sql.QueryText("imports"), sql.QueryText("imports_put")

// ImportedThrough returns until when slurmdbd's rows were read without a gap, from
// since on. A zero since means the newest time that was read. Zero: none was.
func (s *Store) ImportedThrough(ctx context.Context, cluster string, since time.Time) (time.Time, error) {
	rows, err := s.DB.Query(ctx, qImports, cluster)
	if err != nil {
		return time.Time{}, accounting.WrapError("reading what was imported", err)
	}
	var out, from, through time.Time
	_, err = pgx.ForEachRow(rows, []any{&from, &through}, func() error {
		if since.IsZero() || !from.After(since) && !through.Before(since) {
			out = through.UTC()
		}
		return nil
	})
	return out, accounting.WrapError("reading what was imported", err)
}

var qGPUWeightsPut = sql.QueryText("gpu_weights_put")

// SetBillingWeights makes the billing weights of a cluster the given ones from a moment on; a type that is
// not given has weight 1. What was held before keeps the weights it had. Nothing is written where nothing changes; else
// author is noted with it.
func (s *Store) SetBillingWeights(ctx context.Context, cluster, author string, since time.Time, weights policy.BillingWeights) error {
	types := slices.Sorted(maps.Keys(weights))
	values := make([]float64, len(types))
	for i, typ := range types {
		values[i] = weights[typ]
	}
	_, err := s.DB.Exec(ctx, qGPUWeightsPut, cluster, since, author, types, values)
	return accounting.WrapError(fmt.Sprintf("storing the billing weights of cluster %s", cluster), err)
}
