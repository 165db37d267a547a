package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/api/privacy"
	"fairbridge/policy"
)

// defaultReportSpan is how far back a report goes that does not say.
const defaultReportSpan = 7 * 24 * time.Hour

// maxReportAccounts is how many accounts of a coordinator are asked for one after another.
const maxReportAccounts = 20

// Report answers a report, with the rows that are the viewer's to see.
func (s *Service) Report(ctx context.Context, v api.Viewer, name string, q api.ReportQuery) (*api.Report, error) {
	r, ok := report.FindReport(name)
	if !ok {
		return nil, &api.Error{Code: api.CodeNotFound, Message: fmt.Sprintf("there is no report %.40q", name), Try: "the list of reports names them"}
	}
	scope, err := s.newScope(&q)
	if err := cmp.Or(err, checkSpan(&v, "a report", scope.Until.Sub(scope.Since), maxReportSpan)); err != nil {
		return nil, err
	}
	if err := r.CheckScope(scope); err != nil {
		return nil, badRequest("%v", err)
	}
	w := reportRequest{s, s.newTexts(&v, nil)}
	scopes, whole, err := w.reportScopes(r, scope)
	if err != nil {
		return nil, err
	}
	if err := s.sumFirst(ctx); err != nil {
		return nil, toldError(&v, "summing up", err)
	}
	sums, err := s.parts.Record.ReadSumState(ctx, s.Cluster)
	if err != nil {
		return nil, toldError(&v, "reading how far the record was summed up", err)
	}
	table, err := w.runScopes(ctx, r, scopes)
	if err != nil {
		return nil, err
	}
	out := &api.Report{Answer: report.Answer{Report: r, Rows: table}}
	out.ReportScope = api.ReportScope{Cluster: s.Cluster, Since: scope.Since, Until: scope.Until, Hidden: !whole, SummedUpTo: sums.AsOf, DaysBehind: sums.DaysBehind}
	if !whole {
		out.Note = noteNarrowed(table)
	}
	return out, nil
}

// noteNarrowed leaves out of rows that were narrowed to the viewer what is a part of all that was asked for: all
// of what they see is no whole. It says so where a row seems to be about more than it counts.
func noteNarrowed(t *report.Table) string {
	t.DropColumns("share", "used_share")
	if t.ColumnIndex("account") >= 0 && t.ColumnIndex("user") < 0 && t.ColumnIndex("job") < 0 {
		return "Of each account only what you may see is counted."
	}
	return ""
}

// reportRequest is a request for a report.
type reportRequest struct {
	*Service
	*privacy.Texts
}

func (s *Service) newScope(q *api.ReportQuery) (report.Scope, error) {
	scope := report.Scope{Cluster: s.Cluster, Since: q.Since, Until: q.Until, Account: q.Account, User: q.User}
	if scope.Until.IsZero() {
		scope.Until = s.parts.Now()
	}
	if scope.Since.IsZero() {
		scope.Since = scope.Until.Add(-defaultReportSpan)
	}
	if !scope.Since.Before(scope.Until) {
		return scope, badRequest("since: it is not before until")
	}
	if max(len(q.Account), len(q.User)) > maxNameBytes {
		return scope, badRequest("a name has more than %d bytes", maxNameBytes)
	}
	return scope, nil
}

// isPrivateReport reports whether rows of a report may be private: all tell of use, and those that name
// jobs of jobs too.
func (w reportRequest) isPrivateReport(r report.Report) bool {
	return !w.Viewer.IsOperator() && (w.Private.Usage || w.Private.Jobs && namesJobs(r))
}

// namesJobs reports whether the rows of a report are jobs.
func namesJobs(r report.Report) bool { return r.Name == "wasteful-jobs" || r.Name == "idle-now" }

// reportScopes narrows a report to what the viewer may see: their own rows, and those of each account that
// they coordinate. whole is true where nothing had to be left out.
func (w reportRequest) reportScopes(r report.Report, scope report.Scope) (list []report.Scope, whole bool, err error) {
	if !w.isPrivateReport(r) {
		return []report.Scope{scope}, true, nil
	}
	if scope.Account != "" && slices.Contains(w.Viewer.Accounts, scope.Account) {
		return []report.Scope{scope}, true, nil
	}
	own := scope
	if own.User == "" {
		own.User = w.Viewer.User
	}
	if own.User == w.Viewer.User && r.CheckScope(own) == nil {
		list = append(list, own)
	}
	for _, a := range w.Viewer.Accounts {
		theirs := scope
		if theirs.Account = a; scope.Account == "" && r.CheckScope(theirs) == nil {
			list = append(list, theirs)
		}
	}
	switch {
	case len(list) == 0:
		return nil, false, forbidden("usage is private here, and report "+r.Name+" is about others too", "ask a coordinator of your account or an operator")
	case len(list) > maxReportAccounts+1:
		return nil, false, badRequest("you coordinate %d accounts: name one", len(w.Viewer.Accounts))
	}
	return list, false, nil
}

// runScopes answers a report for some scopes, without rows that are there already.
func (w reportRequest) runScopes(ctx context.Context, r report.Report, scopes []report.Scope) (*report.Table, error) {
	out := &report.Table{}
	seen := map[string]bool{}
	for _, scope := range scopes {
		if err := w.checkNames(ctx, scope); err != nil {
			return nil, err
		}
		t, err := report.RunReport(ctx, w.parts.Record, r, scope)
		if err != nil {
			return nil, toldError(w.Viewer, "answering report "+r.Name, err)
		}
		out.Columns = t.Columns
		for _, row := range w.rowsOfScope(t, scope) {
			if key := fmt.Sprint(row...); !seen[key] {
				seen[key] = true
				out.Rows = append(out.Rows, row)
			}
		}
	}
	return out, nil
}

// checkNames looks whether runs of the scope's account and user are recorded. Who else is there is for
// those who may see it; one who is asked about as themselves needs no run.
func (w reportRequest) checkNames(ctx context.Context, scope report.Scope) error {
	if scope.User == w.Viewer.User {
		scope.User = ""
	}
	if slices.Contains(w.Viewer.Accounts, scope.Account) {
		scope.Account = ""
	}
	err := report.CheckNames(ctx, w.parts.Record, scope)
	var unknown *report.UnknownNameError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &unknown):
		return toldError(w.Viewer, "looking up the account or user", err)
	case w.Viewer.IsOperator() || !w.Private.Usage && !w.Private.Jobs:
		return &api.Error{Code: api.CodeNotFound, Message: unknown.Error()}
	}
	return &api.Error{Code: api.CodeNotFound, Message: fmt.Sprintf("no run of %s %.40q is recorded that you may see", unknown.Kind, unknown.Name)}
}

// rowsOfScope leaves out of the viewer's own rows those of accounts that they coordinate, which are asked
// for as a whole, and every row that is not theirs.
func (w reportRequest) rowsOfScope(t *report.Table, scope report.Scope) [][]any {
	user, account := t.ColumnIndex("user"), t.ColumnIndex("account")
	if w.HidesNothing() || scope.User != w.Viewer.User && scope.Account == "" {
		return t.Rows
	}
	return slices.DeleteFunc(t.Rows, func(row []any) bool {
		switch {
		case scope.Account == "" && account >= 0 && slices.Contains(w.Viewer.Accounts, cellText(row, account)):
			return true
		case user >= 0:
			return !w.Viewer.Owns(cellText(row, user), cellText(row, account))
		}
		return false
	})
}

// cellText is a cell as text; "" where there is none.
func cellText(row []any, column int) string {
	if column < 0 || row[column] == nil {
		return ""
	}
	return fmt.Sprint(row[column])
}

func badRequest(format string, a ...any) *api.Error {
	return &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf(format, a...)}
}

func forbidden(message, try string) *api.Error {
	return &api.Error{Code: api.CodeForbidden, Message: message, Try: try}
}

// toldError is the error as the viewer may see it: what was being done and what to try; the whole story is
// for operators, since it may name hosts and files.
func toldError(v *api.Viewer, doing string, err error) error {
	var told *api.Error
	if errors.As(err, &told) {
		return told
	}
	code, message, try := api.CodeInternal, doing+" failed", "tell an operator; fairbridge doctor looks at everything"
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		code, message, try = api.CodeUnavailable, doing+" took too long", "try again in a while"
	case isUnavailable(err):
		code, message, try = api.CodeUnavailable, doing+": the database cannot be asked now", "try again in a while; squeue and sinfo still answer"
	}
	if v.IsOperator() {
		message = doing + ": " + err.Error()
	}
	told = &api.Error{Code: code, Message: message, Try: try}
	return &api.CausedError{Told: told, Cause: fmt.Errorf("%s: %w", doing, err)}
}

// isUnavailable reports whether the database is out of reach, and may be back.
func isUnavailable(err error) bool {
	return errors.Is(err, accounting.ErrUnreachable) || errors.Is(err, accounting.ErrDiskFull)
}

// recordTimeout is how long the database may take to answer where the last cycles in memory do instead.
const recordTimeout = 2 * time.Second

// askBriefly asks the database. One that does not answer in time counts as away: it may be there and hang.
func askBriefly(ctx context.Context, ask func(context.Context) error) error {
	brief, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	err := ask(brief)
	if err != nil && brief.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("no answer within %s: %w", policy.FormatDuration(recordTimeout), accounting.ErrUnreachable)
	}
	return err
}

// Studies says what policies would have done with the jobs of each partition, as far as that is stored. Its figures are of
// the jobs of all: where usage is private it is for operators.
func (s *Service) Studies(ctx context.Context, v api.Viewer) (*api.Studies, error) {
	if s.parts.Privacy().Usage && !v.IsOperator() {
		return nil, forbidden("usage is private here, and studies are about the jobs of all", "ask an operator")
	}
	list, err := s.parts.Record.LastStudies(ctx, s.Cluster)
	if err != nil {
		return nil, toldError(&v, "reading the studies", err)
	}
	return answerStudies(&v, s.Partitions, list, s.parts.Now()), nil
}
