package answers

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/api/names"
	"fairbridge/policy"
)

// defaultChangeSpan is how far back changes go where the query does not say.
const defaultChangeSpan = 24 * time.Hour

// Changes returns what was changed in Slurm, or was to be, for jobs that the viewer may see.
func (s *Service) Changes(ctx context.Context, v api.Viewer, q api.ChangeQuery) (*api.Changes, error) {
	limit, err := pageLimit(q.Limit)
	if err := cmp.Or(err, checkAddressCount(q.Jobs)); err != nil {
		return nil, err
	}
	if err := checkChangeNames(&q); err != nil {
		return nil, err
	}
	w := s.newRequest(ctx, &v)
	scope, err := w.changeScope(ctx, &q)
	if err != nil {
		return nil, err
	}
	out := &api.Changes{Changes: []api.Change{}}
	if len(q.Jobs) > 0 && len(scope.Jobs) == 0 {
		return out, nil // no such job
	}
	scope.Limit = limit + 1
	list, err := s.parts.Record.Changes(ctx, s.Cluster, scope)
	if err != nil {
		return nil, toldError(&v, "reading the changes in Slurm", err)
	}
	if len(list) > limit {
		list = list[:limit]
		out.Next = strconv.FormatInt(list[limit-1].ID, 10)
	}
	for i := range list {
		out.Changes = append(out.Changes, w.change(&list[i]))
	}
	return out, nil
}

// maxChangeSpan is how far back changes go for who is no operator, maxReportSpan how long a report of theirs is,
// and spanSlack what clocks that differ, and the way here, may add.
const (
	maxChangeSpan = 31 * 24 * time.Hour
	maxReportSpan = 400 * 24 * time.Hour
	spanSlack     = time.Hour
)

// checkSpan bounds how much of the record is read for who is no operator.
func checkSpan(v *api.Viewer, what string, span, most time.Duration) error {
	if v.IsOperator() || span <= most+spanSlack {
		return nil
	}
	return badRequest("since: %s of more than %s can be asked for by operators only", what, policy.FormatDuration(most))
}

// checkChangeNames checks kinds and states, and has them written as the record has them.
func checkChangeNames(q *api.ChangeQuery) error {
	if err := names.Check("kind", q.Kinds, names.ChangeKinds); err != nil {
		return err
	}
	if err := names.Check("state", q.States, names.ChangeStates); err != nil {
		return err
	}
	q.Kinds, q.States = mapAll(q.Kinds, strings.ToLower), mapAll(q.States, strings.ToUpper)
	return nil
}

func mapAll(names []string, as func(string) string) (out []string) {
	for _, n := range names {
		out = append(out, as(n))
	}
	return out
}

// changeScope says which changes are to be read for the viewer.
func (w *request) changeScope(ctx context.Context, q *api.ChangeQuery) (scope journal.ChangeScope, err error) {
	scope = journal.ChangeScope{Since: q.Since, Users: q.Users, Kinds: q.Kinds, States: q.States}
	if q.Since.IsZero() {
		scope.Since = w.now.Add(-defaultChangeSpan)
	}
	if err := checkSpan(w.Viewer, "changes", w.now.Sub(scope.Since), maxChangeSpan); err != nil {
		return scope, err
	}
	if q.After != "" {
		if scope.Before, err = strconv.ParseInt(q.After, 10, 64); err != nil || scope.Before < 1 {
			return scope, badRequest("after: %.40q is not the next of a page", q.After)
		}
	}
	if !w.Viewer.IsOperator() && w.Private.Jobs {
		scope.IsBounded, scope.OnlyUser, scope.OnlyAccounts = true, w.Viewer.User, w.Viewer.Accounts
	}
	scope.Jobs, err = w.findJobs(ctx, q.Jobs)
	return scope, err
}

// findJobs returns the records of jobs, by the last cycles and the record: whose they are is not known yet, and
// Slurm is not asked for each.
func (w *request) findJobs(ctx context.Context, addresses []string) (ids []int64, err error) {
	for _, text := range addresses {
		a, err := parseAddress(text)
		if err != nil {
			return nil, err
		}
		id, err := w.findRecordedJob(ctx, a)
		if err != nil {
			return nil, toldError(w.Viewer, "looking up job "+text, err)
		}
		if id != 0 {
			ids = append(ids, int64(id))
		}
	}
	return ids, nil
}

// change returns a change of a job that the viewer may see, without what of it is of others.
func (w *request) change(c *journal.Change) api.Change {
	out := api.Change{Intent: c.Intent, Address: c.Address, User: c.User, Account: c.Account}
	if w.HidesNothing() && w.SeesNodes() {
		return out
	}
	if !w.SeesPlace(c.User, c.Account) {
		hideNodesOfIntent(w, &out.Intent)
	}
	w.hideInIntent(&out.Intent, w.SeesWhy(c.User, c.Account))
	return out
}
