package answers

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"fairbridge/accounting/runs"
	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/api/privacy"
	"fairbridge/policy"
)

// Shares returns what accounts are entitled to, hold, want and used, and their users likewise.
func (s *Service) Shares(ctx context.Context, v api.Viewer) (*api.Shares, error) {
	w := s.newRequest(ctx, &v)
	if len(w.cycles) == 0 && w.cyclesErr != nil {
		return nil, toldError(&v, "reading the shares", w.cyclesErr)
	}
	out := &api.Shares{HalfLife: cmp.Or(s.parts.Record.HalfLife, runs.DefaultHalfLife).Seconds(), Accounts: []api.AccountShare{}, Users: []api.UserShare{}}
	newest := w.newestSnapshot()
	if newest == nil {
		return out, nil
	}
	out.AsOf, out.Stale = newest.At, w.isStale(newest)
	t := newShareTable(newest.Snapshot)
	for _, c := range w.cycles {
		t.addJobs(c)
	}
	addUpShares(newest.Snapshot.Accounts, t.accounts)
	w.addAccountShares(out, t)
	w.addUserShares(out, t)
	return out, nil
}

// newestSnapshot returns the newest of the last cycles that has a snapshot; nil: none has.
func (w *request) newestSnapshot() (newest *lastcycle.Cycle) {
	for _, c := range w.cycles {
		if c.Snapshot != nil && (newest == nil || c.At.After(newest.At)) {
			newest = c
		}
	}
	return newest
}

// shareTable is the shares of accounts and of their users in the making.
type shareTable struct {
	accounts       []api.AccountShare
	users          map[[2]string]*api.UserShare // by account and name
	accountByName  map[string]*api.AccountShare
	countedJobByID map[policy.JobID]bool
}

func newShareTable(s *policy.Snapshot) *shareTable {
	t := &shareTable{accounts: entitlements(s.Accounts), users: map[[2]string]*api.UserShare{}, accountByName: map[string]*api.AccountShare{}, countedJobByID: map[policy.JobID]bool{}}
	for i := range t.accounts {
		t.accountByName[t.accounts[i].Name] = &t.accounts[i]
	}
	for _, u := range s.Users {
		x := t.user(u.Account, u.Name)
		x.UsedService, x.HeldService = u.UsedService, u.HeldService
	}
	return t
}

func (t *shareTable) user(account, name string) *api.UserShare {
	key := [2]string{account, name}
	if t.users[key] == nil {
		t.users[key] = &api.UserShare{Name: name, Account: account}
	}
	return t.users[key]
}

// addJobs counts what the jobs of a cycle hold and want.
func (t *shareTable) addJobs(c *lastcycle.Cycle) {
	for i := range c.Rows {
		r := &c.Rows[i]
		a := t.accountByName[r.Account]
		if t.countedJobByID[r.JobID] || a == nil {
			continue
		}
		t.countedJobByID[r.JobID] = true
		u := t.user(r.Account, r.User)
		if lastcycle.IsWaiting(r) {
			a.WaitingGPUs += r.GPUs
			a.WaitingJobs += max(r.Tasks, 1)
			u.WaitingJobs += max(r.Tasks, 1)
			continue
		}
		a.RunningGPUs += r.GPUs
		u.RunningGPUs += r.GPUs
	}
}

// addAccountShares adds the accounts that may be seen, in words too. Of an account of the viewer's whose use is
// private there is what it is entitled to alone.
func (w *request) addAccountShares(out *api.Shares, t *shareTable) {
	var named []api.AccountShare
	for i := range t.accounts {
		if a := &t.accounts[i]; w.SeesAccountUse(a.Name) {
			named = append(named, withoutPrivateJobs(w.Rule, *a))
		}
	}
	mine := w.UserAccounts(w.Viewer.User)
	for _, a := range t.accounts {
		switch {
		case w.SeesAccountUse(a.Name):
			a = withoutPrivateJobs(w.Rule, a)
			a.Words = shareWords(&a, named)
			if !w.SeesAccountUse(a.Parent) {
				a.Parent = ""
			}
		case slices.Contains(mine, a.Name):
			words := fmt.Sprintf("%s is entitled to %.3g %% of the cluster; what it used is private here.", a.Name, 100*a.Entitled)
			a = api.AccountShare{Name: a.Name, Weight: a.Weight, Entitled: a.Entitled, Words: words}
		default:
			out.Hidden++
			continue
		}
		out.Accounts = append(out.Accounts, a)
	}
}

// withoutPrivateJobs leaves out what the account's jobs hold and want where those are private.
func withoutPrivateJobs(may privacy.Rule, a api.AccountShare) api.AccountShare {
	if !may.SeesJob("", a.Name) {
		a.AccountJobs = nil
	}
	return a
}

// addUserShares adds the users that may be seen.
func (w *request) addUserShares(out *api.Shares, t *shareTable) {
	for _, u := range t.users {
		if w.SeesUse(u.Name, u.Account) && w.SeesJob(u.Name, u.Account) {
			out.Users = append(out.Users, *u)
		} else {
			out.Hidden++
		}
	}
	sortUsers(out.Users)
}
