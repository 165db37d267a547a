package page

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fairbridge/api"
)

// table is a report as a page shows it.
type table struct {
	*api.Report
	Head  []string
	Cells [][]string
}

// recordBody is a page made of live rows and reports.
type recordBody struct {
	Nodes  *api.Nodes
	Held   []heldGPU
	Queue  *api.Queue
	Tables []table
	Filter url.Values
}

// heldGPU is a GPU of a node with jobs that was measured as hardly busy.
type heldGPU struct {
	Node string
	api.DeviceUse
	Jobs []api.NodeJob
}

// reportDays is how far back the reports of pages go.
const reportDays = 7

// The reports of the pages.
var (
	idleReports     = []string{"idle", "efficiency", "wasteful-jobs"}
	estimateReports = []string{"estimates", "deadlines"}
)

// ReportNames lists the reports that pages show.
func ReportNames() []string { return slices.Concat(idleReports, estimateReports) }

// NewReportQuery asks for a report as pages do, as of a moment.
func NewReportQuery(at time.Time) api.ReportQuery {
	return api.ReportQuery{Since: at.AddDate(0, 0, -reportDays), Until: at}
}

func viewIdle(h *Handler, r *http.Request, s Source) (any, error) {
	f := r.URL.Query()
	nodes, err := s.Nodes(r.Context(), api.NodeQuery{Partitions: splitList(f.Get("partition"))})
	if err != nil {
		return nil, err
	}
	body := &recordBody{Nodes: nodes, Held: listHeld(nodes.Nodes), Filter: f}
	body.Tables, err = h.readTables(r.Context(), s, f, idleReports)
	return body, err
}

// idleBelow is the part of its time below which a GPU is called idle, as in the reports.
const idleBelow = .01

// listHeld lists the GPUs that were measured as idle on nodes with jobs. Which of several jobs of a node has a GPU is
// not known here.
func listHeld(nodes []api.Node) []heldGPU {
	var list []heldGPU
	for i := range nodes {
		n := &nodes[i]
		if len(n.Jobs)+n.HiddenJobs == 0 {
			continue
		}
		for _, d := range n.Devices {
			if d.Busy.Known && d.Busy.Value < idleBelow {
				list = append(list, heldGPU{n.Name, d, n.Jobs})
			}
		}
	}
	return list
}

func viewEstimates(h *Handler, r *http.Request, s Source) (any, error) {
	f := r.URL.Query()
	q := newQueueQuery(f)
	q.States = []string{"PENDING"}
	queue, err := s.Queue(r.Context(), q)
	if err != nil {
		return nil, err
	}
	body := &recordBody{Queue: queue, Filter: f}
	body.Tables, err = h.readTables(r.Context(), s, f, estimateReports)
	return body, err
}

// readTables reads reports of the last days.
func (h *Handler) readTables(ctx context.Context, s Source, f url.Values, names []string) ([]table, error) {
	q := NewReportQuery(h.cfg.Now())
	q.Account, q.User = f.Get("account"), f.Get("user")
	var list []table
	for _, name := range names {
		answer, err := s.Report(ctx, name, q)
		if err != nil {
			return nil, err
		}
		t := table{Report: answer}
		if answer.Rows != nil {
			t.Head, t.Cells = answer.Rows.HeaderTexts(), answer.Rows.FormatRows()
		}
		list = append(list, t)
	}
	return list, nil
}

// changesBody is the page of changes.
type changesBody struct {
	*api.Changes
	Filter url.Values
	More   template.URL
	CSRF   string       // what a form must hold; "": nothing can be undone here
	Done   []api.Action // what operators did, where one looks
}

func viewChanges(h *Handler, r *http.Request, s Source) (any, error) {
	f := r.URL.Query()
	q := api.ChangeQuery{Jobs: splitList(f.Get("job")), Users: splitList(f.Get("user")), Kinds: splitList(f.Get("kind")), States: splitList(f.Get("state")), Limit: rowsPerPage, After: f.Get("after")}
	if text := f.Get("since"); text != "" {
		var err error
		if q.Since, err = time.Parse(time.DateOnly, text); err != nil {
			return nil, &api.Error{Code: api.CodeBadRequest, Message: "the day since when cannot be read", Try: "write it as 2026-01-31"}
		}
	}
	answer, err := s.Changes(r.Context(), q)
	if err != nil {
		return nil, err
	}
	body := &changesBody{answer, f, nextPage(f, answer.Next), h.csrf(r), nil}
	if body.CSRF != "" && h.cfg.Actions != nil {
		done, err := h.cfg.Actions(r)
		if err != nil {
			return nil, err
		}
		body.Done = done.Actions
	}
	return body, nil
}

// UndoneBy returns the operator's action that undid a change, of those shown; nil: none did.
func (b *changesBody) UndoneBy(change int64) *api.Action {
	i := slices.IndexFunc(b.Done, func(a api.Action) bool { return a.Kind == api.ActionUndo && a.Change == change })
	if i < 0 {
		return nil
	}
	return &b.Done[i]
}

// ActionsPerPage is how many of the last actions of operators a page shows.
const ActionsPerPage = 20

// rowsPerPage is how many rows a page of the queue or of changes has.
const rowsPerPage = 200

// queueBody is the page of the queue.
type queueBody struct {
	*api.Queue
	Filter url.Values
	More   template.URL // the query of the page after this one; "": there is none
	IsPart bool         // this is not the first page
}

func viewQueue(_ *Handler, r *http.Request, s Source) (any, error) {
	filter := r.URL.Query()
	q := newQueueQuery(filter)
	answer, err := s.Queue(r.Context(), q)
	if err != nil {
		return nil, err
	}
	return &queueBody{answer, filter, nextPage(filter, answer.Next), q.After != ""}, nil
}

func newQueueQuery(f url.Values) api.QueueQuery {
	return api.QueueQuery{
		Partitions: splitList(f.Get("partition")), Users: splitList(f.Get("user")), Accounts: splitList(f.Get("account")), States: splitList(f.Get("state")),
		Jobs: splitList(f.Get("job")), Nodes: splitList(f.Get("node")), Limit: rowsPerPage, After: f.Get("after"), Estimates: true,
	}
}

// splitList reads a field in which values are parted by commas or blanks. A comma within brackets parts none: 47_[1,3].
func splitList(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		}
		return depth <= 0 && (r == ',' || r == ' ')
	})
}

// nextPage is the query of the page that begins at next.
func nextPage(filter url.Values, next string) template.URL {
	if next == "" {
		return ""
	}
	more := url.Values{"after": {next}}
	for name, values := range filter {
		if name != "after" {
			more[name] = values
		}
	}
	return template.URL(more.Encode()) // as a text its signs would be escaped once more
}
