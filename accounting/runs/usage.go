package runs

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

var qUsage, qAccounts, qAccountUsers = sql.QueryText("usage"), sql.QueryText("accounts"), sql.QueryText("account_users")

// MaxHalfLives is after how many half-lives usage no longer counts: a millionth
// is left of it.
const MaxHalfLives = 20

// readUserUsage returns decayed use as it is charged, and recent use, per user, and summed per account along
// with its entitlement. Accounts that never ran anything are listed when they
// have an entitlement.
func (s *Store) readUserUsage(ctx context.Context, tx pgx.Tx, cluster string, now time.Time) ([]policy.User, []policy.Account, error) {
	accounts, err := readAccountsByName(ctx, tx, cluster)
	if err != nil {
		return nil, nil, err
	}
	old, err := s.oldUsage.sumAt(ctx, tx, cluster, now, s.halfLife())
	if err != nil {
		return nil, nil, err
	}
	users := map[policy.User]decayedUse{}
	add := func(u policy.User, used decayedUse, recent float64) {
		users[u] = decayedUse{users[u].charged + used.charged, users[u].held + used.held}
		a, ok := accounts[u.Account]
		if !ok {
			a = policy.Account{Name: u.Account, Weight: 1}
		}
		a.RecentService += policy.GPUSeconds(recent)
		accounts[u.Account] = a
	}
	horizon := usageHorizon(now, s.halfLife())
	far := now.AddDate(10, 0, 0) // segments may have stopped after now, when the past is asked for
	if err := readUsage(ctx, tx, cluster, now, s.halfLife(), horizon, old.sumUntil, far, true, add); err != nil {
		return nil, nil, err
	}
	for u, used := range old.useByUser {
		add(u, used.times(old.decayFactorTo(now)), 0)
	}
	list, err := withUserWeights(ctx, tx, cluster, listUsers(users))
	if err != nil {
		return nil, nil, err
	}
	held := map[string]policy.GPUSeconds{}
	for _, u := range list { // in order: sums of floats depend on it
		a := accounts[u.Account]
		a.UsedService += u.UsedService
		held[u.Account] += cmp.Or(u.HeldService, u.UsedService)
		a.HeldService = policy.ServiceHeld(held[u.Account], a.UsedService)
		accounts[u.Account] = a
	}
	return list, slices.SortedFunc(maps.Values(accounts), func(a, b policy.Account) int { return cmp.Compare(a.Name, b.Name) }), nil
}

// listUsers returns the users with their use, in no order.
func listUsers(use map[policy.User]decayedUse) []policy.User {
	var list []policy.User
	for u, used := range use {
		u.UsedService = policy.GPUSeconds(used.charged)
		u.HeldService = policy.ServiceHeld(policy.GPUSeconds(used.held), u.UsedService)
		list = append(list, u)
	}
	return list
}

func readAccountsByName(ctx context.Context, tx pgx.Tx, cluster string) (map[string]policy.Account, error) {
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

// withUserWeights adds the shares that users have within their accounts. Who has one
// share, or the account's own, and never ran anything is not listed.
func withUserWeights(ctx context.Context, tx pgx.Tx, cluster string, users []policy.User) ([]policy.User, error) {
	rows, err := tx.Query(ctx, qAccountUsers, cluster)
	if err != nil {
		return nil, err
	}
	at := make(map[policy.User]int, len(users))
	for i, u := range users {
		at[policy.User{Name: u.Name, Account: u.Account}] = i
	}
	var u policy.User
	var weight float64
	_, err = pgx.ForEachRow(rows, []any{&u.Name, &u.Account, &weight}, func() error {
		i, ran := at[u]
		switch {
		case ran:
			users[i].Weight = weight
		case weight != 0:
			users = append(users, policy.User{Name: u.Name, Account: u.Account, Weight: weight})
		}
		return nil
	})
	slices.SortFunc(users, func(a, b policy.User) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	return users, err
}
