package page

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"fairbridge/api"
)

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
