package recording

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/api/page"
)

var _ page.Source = (*Recording)(nil)

// Queue answers from the recording.
func (rec *Recording) Queue(_ context.Context, q api.QueueQuery) (*api.Queue, error) {
	answer := *rec.QueueAnswer
	var list []api.QueueJob
	for _, j := range answer.Jobs {
		if has(q.Partitions, j.Partition) && has(q.Users, j.User) && has(q.Accounts, j.Account) && has(q.States, j.State) && hasAddress(q.Jobs, j.Address) {
			list = append(list, j)
		}
	}
	var err error
	answer.Total = len(list)
	answer.Jobs, answer.Next, err = cut(list, q.Limit, q.After)
	return &answer, err
}

// Job answers from the recording.
func (rec *Recording) Job(_ context.Context, address string) (*api.Job, error) {
	if j := rec.Jobs[address]; j != nil {
		return j, nil
	}
	return nil, &api.Error{Code: api.CodeNotFound, Message: "the recording has no story of this job", Try: "another job"}
}

// Nodes answers from the recording.
func (rec *Recording) Nodes(_ context.Context, q api.NodeQuery) (*api.Nodes, error) {
	answer := *rec.NodesAnswer
	var list []api.Node
	for _, n := range answer.Nodes {
		if has(q.Names, n.Name) && (len(q.Partitions) == 0 || slices.ContainsFunc(n.Partitions, func(p string) bool { return has(q.Partitions, p) })) {
			list = append(list, n)
		}
	}
	var err error
	answer.Total = len(list)
	answer.Nodes, answer.Next, err = cut(list, q.Limit, q.After)
	return &answer, err
}

// Shares answers from the recording.
func (rec *Recording) Shares(context.Context) (*api.Shares, error) { return rec.SharesAnswer, nil }

// Changes answers from the recording.
func (rec *Recording) Changes(_ context.Context, q api.ChangeQuery) (*api.Changes, error) {
	answer := api.Changes{}
	var list []api.Change
	for _, c := range rec.ChangesAnswer.Changes {
		if hasAddress(q.Jobs, c.Address) && has(q.Users, c.User) && has(q.Kinds, string(c.Edit.Kind)) && has(q.States, string(c.State)) && !c.Made.Before(q.Since) {
			list = append(list, c)
		}
	}
	var err error
	answer.Changes, answer.Next, err = cut(list, q.Limit, q.After)
	return &answer, err
}

// Report answers from the recording: its rows as they were, of one account or user where one is asked for.
func (rec *Recording) Report(_ context.Context, name string, q api.ReportQuery) (*api.Report, error) {
	r := rec.Reports[name]
	if r == nil {
		return nil, &api.Error{Code: api.CodeNotFound, Message: "the recording has no report " + name}
	}
	answer := *r
	if r.Rows != nil {
		answer.Rows = &report.Table{Columns: r.Rows.Columns, Rows: r.Rows.Rows}
		keepRows(answer.Rows, "account", q.Account)
		keepRows(answer.Rows, "user", q.User)
	}
	return &answer, nil
}

// keepRows keeps the rows that have a value in a column; all where none is asked for, or there is no such column.
func keepRows(t *report.Table, column, value string) {
	i := t.ColumnIndex(column)
	if value == "" || i < 0 {
		return
	}
	var rows [][]any
	for _, row := range t.Rows {
		if row[i] == value {
			rows = append(rows, row)
		}
	}
	t.Rows = rows
}

// Studies answers from the recording.
func (rec *Recording) Studies(context.Context) (*api.Studies, error) {
	if rec.StudiesAnswer == nil {
		return page.NewStudies(rec.Lines), nil
	}
	return rec.StudiesAnswer, nil
}

// has reports whether a value is wanted; none named: every one is.
func has(wanted []string, value string) bool {
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool { return strings.EqualFold(w, value) })
}

// hasAddress is has of an address; that of an array stands for all of it.
func hasAddress(wanted []string, address string) bool {
	array, _, _ := strings.Cut(address, "_")
	return has(wanted, address) || slices.Contains(wanted, array)
}

// cut returns the rows of one page, and where the next begins.
func cut[T any](list []T, limit int, after string) (page []T, next string, err error) {
	from := 0
	if after != "" {
		if from, err = strconv.Atoi(after); err != nil || from < 0 {
			return nil, "", &api.Error{Code: api.CodeBadRequest, Message: "there is no page that begins there", Try: "begin at the first"}
		}
	}
	if limit == 0 {
		limit = api.DefaultLimit
	}
	list = list[min(from, len(list)):]
	if len(list) <= limit {
		return list, "", nil
	}
	return list[:limit], strconv.Itoa(from + limit), nil
}
