package client

import (
	"context"
	"fmt"
	"net/http"

	"fairbridge/api"
	"fairbridge/api/wire"
)

// AllRows as a query's Limit has all pages asked for and joined.
const AllRows = -1

// pageLimit is how many rows each page has where all are asked for.
const pageLimit = 10_000

// Health says whether fairbridge works. It needs no proof of who asks.
func (c *Client) Health(ctx context.Context) (*api.Health, error) {
	return ask[api.Health](ctx, c, wire.HealthPath, nil)
}

// Me says as whom the daemon sees who asks.
func (c *Client) Me(ctx context.Context) (api.Viewer, error) {
	v, err := ask[api.Viewer](ctx, c, wire.MePath, nil)
	if err != nil {
		return api.Viewer{}, err
	}
	return *v, nil
}

// Queue returns a page of the queue, or all of it.
func (c *Client) Queue(ctx context.Context, q api.QueueQuery) (*api.Queue, error) {
	return joinPages(&q.Limit, &q.After, func() (*api.Queue, error) {
		return ask[api.Queue](ctx, c, wire.QueuePath, wire.NewQueueParams(&q))
	}, func(all, page *api.Queue) string {
		page.Jobs = joinRows(all.Jobs, page.Jobs)
		return page.Next
	})
}

// Job returns a job's story by its address as squeue writes it.
func (c *Client) Job(ctx context.Context, address string) (*api.Job, error) {
	return ask[api.Job](ctx, c, wire.JobURL(address), nil)
}

// JobUse returns what a job got and how it used it.
func (c *Client) JobUse(ctx context.Context, address string) (*api.JobUse, error) {
	return ask[api.JobUse](ctx, c, wire.JobUseURL(address), nil)
}

// When returns when a job would start if it were submitted now.
func (c *Client) When(ctx context.Context, q api.WhenQuery) (*api.When, error) {
	return ask[api.When](ctx, c, wire.WhenPath, wire.NewWhenParams(&q))
}

// Changes returns a page of what was changed in Slurm, or all of it.
func (c *Client) Changes(ctx context.Context, q api.ChangeQuery) (*api.Changes, error) {
	return joinPages(&q.Limit, &q.After, func() (*api.Changes, error) {
		return ask[api.Changes](ctx, c, wire.ChangesPath, wire.NewChangeParams(&q))
	}, func(all, page *api.Changes) string {
		page.Changes = joinRows(all.Changes, page.Changes)
		return page.Next
	})
}

// Nodes returns a page of the map of nodes, or all of it.
func (c *Client) Nodes(ctx context.Context, q api.NodeQuery) (*api.Nodes, error) {
	return joinPages(&q.Limit, &q.After, func() (*api.Nodes, error) {
		return ask[api.Nodes](ctx, c, wire.NodesPath, wire.NewNodeParams(&q))
	}, func(all, page *api.Nodes) string {
		page.Nodes = joinRows(all.Nodes, page.Nodes)
		return page.Next
	})
}

// Shares returns what accounts are entitled to, hold, want and used.
func (c *Client) Shares(ctx context.Context) (*api.Shares, error) {
	return ask[api.Shares](ctx, c, wire.SharesPath, nil)
}

// Reports returns the reports there are.
func (c *Client) Reports(ctx context.Context) (*api.ReportList, error) {
	return ask[api.ReportList](ctx, c, wire.ReportsPath, nil)
}

// Report returns a report with its rows.
func (c *Client) Report(ctx context.Context, name string, q api.ReportQuery) (*api.Report, error) {
	return ask[api.Report](ctx, c, wire.ReportURL(name), wire.NewReportParams(&q))
}

// Policies returns what decides where, and in which mode.
func (c *Client) Policies(ctx context.Context) (*api.Policies, error) {
	return ask[api.Policies](ctx, c, wire.PolicyPath, nil)
}

// Studies returns what policies would have done, as far as it is stored.
func (c *Client) Studies(ctx context.Context) (*api.Studies, error) {
	return ask[api.Studies](ctx, c, wire.StudiesPath, nil)
}

// Actions returns a page of what operators did, or all of it.
func (c *Client) Actions(ctx context.Context, limit int, after string) (*api.Actions, error) {
	q := wire.ActionQuery{Limit: limit, After: after}
	return joinPages(&q.Limit, &q.After, func() (*api.Actions, error) {
		return ask[api.Actions](ctx, c, wire.ActionsPath, wire.NewActionParams(&q))
	}, func(all, page *api.Actions) string {
		page.Actions = joinRows(all.Actions, page.Actions)
		return page.Next
	})
}

// Act asks for an action, or where the request is confirmed has it done.
func (c *Client) Act(ctx context.Context, request api.ActionRequest) (*api.Action, error) {
	answer := new(api.Action)
	if err := c.ask(ctx, http.MethodPost, wire.ActionsPath, nil, request, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// NewLink asks for an address that shows a browser to be who asks, once.
func (c *Client) NewLink(ctx context.Context) (*api.Link, error) {
	answer := new(api.Link)
	if err := c.ask(ctx, http.MethodPost, wire.LinkPath, nil, struct{}{}, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// ask gets one answer.
func ask[T any](ctx context.Context, c *Client, path string, params []wire.Param) (*T, error) {
	answer := new(T)
	if err := c.get(ctx, path, params, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// maxPages is how many pages are joined at most: a server that always tells of one more is not believed.
const maxPages = api.MaxLimit / pageLimit

// joinPages gets one page, or where all rows are asked for one after the other; join puts the
// rows of those before into a page and returns where the next begins, "" after the last. After maxPages it
// is an error.
func joinPages[T any](limit *int, after *string, get func() (*T, error), join func(all, page *T) (next string)) (*T, error) {
	wantsAll := *limit == AllRows
	if wantsAll {
		*limit = pageLimit
	}
	all := new(T)
	for range maxPages {
		page, err := get()
		if err != nil {
			return nil, err
		}
		next := join(all, page)
		if all = page; !wantsAll || next == "" || next == *after {
			return all, nil
		}
		*after = next
	}
	return nil, &api.Error{
		Code: api.CodeTooLarge, Message: fmt.Sprintf("the daemon tells of more pages after %d of up to %d rows", maxPages, pageLimit),
		Try: "ask for less: one partition, user or account, or the last hours",
	}
}

// joinRows joins rows. It is never nil: programs read a list that is empty, not null.
func joinRows[R any](before, page []R) []R {
	if before == nil {
		before = []R{}
	}
	return append(before, page...)
}
