package accounting

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/policy"
	"fairbridge/sql"
)

var qUsage, qAccounts, qAccountsPut = sql.Query("usage"), sql.Query("accounts"), sql.Query("accounts_put")

// forgotten is after how many half-lives usage no longer counts: a millionth
// is left of it.
const forgotten = 20

// usage returns decayed and recent use per user, and summed per account along
// with its entitlement. Accounts that never ran anything are listed when they
// have an entitlement.
func (d *DB) usage(ctx context.Context, tx pgx.Tx, cluster string, now time.Time) ([]policy.User, []policy.Account, error) {
	accounts, err := entitlements(ctx, tx, cluster)
	if err != nil {
		return nil, nil, err
	}
	old, err := d.old.sum(ctx, tx, cluster, now, d.halfLife)
	if err != nil {
		return nil, nil, err
	}
	users := map[policy.User]policy.GPUSeconds{}
	add := func(u policy.User, used, recent float64) {
		users[u] += policy.GPUSeconds(used)
		a, ok := accounts[u.Account]
		if !ok {
			a = policy.Account{Name: u.Account, Weight: 1}
		}
		a.Recent += policy.GPUSeconds(recent)
		accounts[u.Account] = a
	}
	horizon := horizonOf(now, d.halfLife)
	far := now.AddDate(10, 0, 0) // segments may have stopped after now, when the past is asked for
	if err := useBetween(ctx, tx, cluster, now, d.halfLife, horizon, old.at, far, true, add); err != nil {
		return nil, nil, err
	}
	for u, used := range old.use {
		add(u, used*old.worth(now), 0)
	}
	list := usersOf(users)
	for _, u := range list { // in order: sums of floats depend on it
		a := accounts[u.Account]
		a.Used += u.Used
		accounts[u.Account] = a
	}
	return list, slices.SortedFunc(maps.Values(accounts), func(a, b policy.Account) int { return cmp.Compare(a.Name, b.Name) }), nil
}

// usersOf returns the users with their use, sorted by name, then account.
func usersOf(use map[policy.User]policy.GPUSeconds) []policy.User {
	var list []policy.User
	for u, used := range use {
		u.Used = used
		list = append(list, u)
	}
	slices.SortFunc(list, func(a, b policy.User) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	return list
}

func entitlements(ctx context.Context, tx pgx.Tx, cluster string) (map[string]policy.Account, error) {
	rows, err := tx.Query(ctx, qAccounts, cluster)
	if err != nil {
		return nil, err
	}
	out := map[string]policy.Account{}
	var a policy.Account
	_, err = pgx.ForEachRow(rows, []any{&a.Name, &a.Parent, &a.Weight}, func() error {
		out[a.Name] = a
		return nil
	})
	return out, err
}

// SetAccounts makes the entitlements of the cluster exactly the given ones
// (Name, Parent, Weight).
func (d *DB) SetAccounts(ctx context.Context, cluster string, list []policy.Account) error {
	names, parents, weights := []string{}, []string{}, []float64{}
	for _, a := range list {
		names, parents, weights = append(names, a.Name), append(parents, a.Parent), append(weights, a.Weight)
	}
	_, err := d.pool.Exec(ctx, qAccountsPut, cluster, names, parents, weights)
	return explain("storing entitlements", err)
}
