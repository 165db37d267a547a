package wire

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fairbridge/api"
)

// Param is a parameter of a query string, bound to a field of a query.
type Param struct {
	Name  string
	About string // for the document
	// Target is where its value is: *string, *int, *int64, *bool, *time.Time (RFC 3339),
	// *time.Duration (as Go writes it: 90m, 8h) or *[]string, which alone may be repeated.
	Target any
}

// Encode writes the parameters that are not zero.
func Encode(params []Param) url.Values {
	values := url.Values{}
	for _, p := range params {
		if list, ok := p.Target.(*[]string); ok {
			for _, v := range *list {
				values.Add(p.Name, v)
			}
		} else if text := p.format(); text != "" {
			values.Set(p.Name, text)
		}
	}
	return values
}

// format is the value as text, "" where it is zero.
func (p *Param) format() string {
	switch v := p.Target.(type) {
	case *string:
		return *v
	case *int:
		return formatInteger(int64(*v))
	case *int64:
		return formatInteger(*v)
	case *bool:
		if *v {
			return "true"
		}
	case *time.Time:
		if !v.IsZero() {
			return v.UTC().Format(time.RFC3339Nano)
		}
	case *time.Duration:
		if *v != 0 {
			return v.String()
		}
	}
	return ""
}

func formatInteger(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// maxValues is how often a parameter that may be repeated may be.
const maxValues = 1000

// Decode reads a query string into the parameters' targets. A parameter that is none of
// them, one that is repeated and may not be, and a value that cannot be read are
// api.CodeBadRequest, which names it.
func Decode(values url.Values, params []Param) error {
	left := len(values)
	for i := range params {
		given, ok := values[params[i].Name]
		if !ok {
			continue
		}
		left--
		if err := params[i].set(given); err != nil {
			return err
		}
	}
	if left > 0 {
		return refuseUnknown(values, params)
	}
	return nil
}

func refuseUnknown(values url.Values, params []Param) error {
	names, known := "", map[string]bool{}
	for i, p := range params {
		if known[p.Name] = true; i > 0 {
			names += ", "
		}
		names += p.Name
	}
	try := "it takes " + names
	if names == "" {
		try = "it takes none"
	}
	unknown := ""
	for name := range values {
		if !known[name] && (unknown == "" || name < unknown) {
			unknown = name
		}
	}
	return &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("there is no parameter %.40q here", unknown), Try: try}
}

// CheckText refuses what no name and no sentence holds, and databases take ill: text that is not UTF-8, and control
// characters. The error is api.CodeBadRequest.
func CheckText(what, text string) error {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl) {
		return nil
	}
	message := what + " has a control character, or is not UTF-8"
	return &api.Error{Code: api.CodeBadRequest, Message: message, Try: "send printable text in UTF-8"}
}

// set reads the values of one parameter.
func (p *Param) set(given []string) error {
	for _, text := range given {
		if err := CheckText("parameter "+p.Name, text); err != nil {
			return err
		}
	}
	if list, ok := p.Target.(*[]string); ok {
		if len(given) > maxValues {
			return p.refuse(fmt.Sprintf("is given %d times", len(given)), fmt.Sprintf("at most %d times", maxValues))
		}
		*list = given
		return nil
	}
	if len(given) != 1 {
		return p.refuse(fmt.Sprintf("is given %d times", len(given)), "give it once")
	}
	return p.parse(given[0])
}

// parse reads a single value.
func (p *Param) parse(text string) (err error) {
	try := ""
	switch v := p.Target.(type) {
	case *string:
		*v = text
	case *int:
		*v, err = strconv.Atoi(text)
		try = "a whole number"
	case *int64:
		*v, err = strconv.ParseInt(text, 10, 64)
		try = "a whole number"
	case *bool:
		*v, err = strconv.ParseBool(text)
		try = "true or false"
	case *time.Time:
		*v, err = time.Parse(time.RFC3339, text)
		try = "a time such as 2026-03-02T15:04:05Z"
	case *time.Duration:
		*v, err = time.ParseDuration(text)
		try = "a time such as 90m or 8h"
	default:
		err = fmt.Errorf("a target of type %T", v)
	}
	if err != nil {
		return p.refuse(fmt.Sprintf("cannot be %.40q", text), try)
	}
	return nil
}

func (p *Param) refuse(what, try string) error {
	return &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("parameter %s %s", p.Name, what), Try: try}
}

// NewQueueParams binds the parameters of QueuePath.
func NewQueueParams(q *api.QueueQuery) []Param {
	return append([]Param{
		{"partition", "Jobs in this partition; may be repeated, as may those below.", &q.Partitions},
		{"user", "Jobs of this user.", &q.Users},
		{"account", "Jobs of this account.", &q.Accounts},
		{"state", "Jobs in this state: PENDING or RUNNING, in any case.", &q.States},
		{"job", "The job of this address as squeue writes it: 4711, 47_3, 47 for all of the array.", &q.Jobs},
		{"node", "Jobs that hold GPUs on this node.", &q.Nodes},
		{"estimates", "With when jobs are thought to start, and how starts of 7 days were planned.", &q.Estimates},
	}, newPageParams(&q.Limit, &q.After)...)
}

// NewWhenParams binds the parameters of WhenPath.
func NewWhenParams(q *api.WhenQuery) []Param {
	return []Param{
		{"partition", "Partition; may be left out where there is one only.", &q.Partition},
		{"gpu_type", "Type of GPU; left out: any.", &q.GPUType},
		{"gpus", "GPUs over all nodes.", &q.GPUs},
		{"nodes", "On so many nodes, as many GPUs on each; left out: any.", &q.Nodes},
		{"time_limit", "Time limit, such as 90m or 8h.", &q.Limit},
		{"user", "Whose job it would be; left out: of who asks.", &q.User},
		{"account", "Account; left out: that of the user's last job.", &q.Account},
		{"deadline", "By when it is to be done, to be told how likely that is.", &q.Deadline},
	}
}

// NewChangeParams binds the parameters of ChangesPath.
func NewChangeParams(q *api.ChangeQuery) []Param {
	return append([]Param{
		{"job", "Changes of the job of this address; may be repeated, as may those below.", &q.Jobs},
		{"user", "Changes of jobs of this user.", &q.Users},
		{"kind", "Changes of this kind.", &q.Kinds},
		{"state", "Changes in this state.", &q.States},
		{"since", "Made then or later; left out: in the last day.", &q.Since},
	}, newPageParams(&q.Limit, &q.After)...)
}

// NewNodeParams binds the parameters of NodesPath.
func NewNodeParams(q *api.NodeQuery) []Param {
	return append([]Param{
		{"partition", "Nodes of this partition; may be repeated, as may those below.", &q.Partitions},
		{"node", "The node of this name.", &q.Names},
	}, newPageParams(&q.Limit, &q.After)...)
}

// NewReportParams binds the parameters of ReportPath.
func NewReportParams(q *api.ReportQuery) []Param {
	return []Param{
		{"since", "From then on.", &q.Since},
		{"until", "Until then.", &q.Until},
		{"account", "Of this account only.", &q.Account},
		{"user", "Of this user only.", &q.User},
	}
}

// ActionQuery says which actions are wanted.
type ActionQuery struct {
	Limit int
	After string
}

// NewActionParams binds the parameters of ActionsPath.
func NewActionParams(q *ActionQuery) []Param { return newPageParams(&q.Limit, &q.After) }

func newPageParams(limit *int, after *string) []Param {
	return []Param{
		{LimitName, fmt.Sprintf("Most rows of the page; left out: %d, at most %d.", api.DefaultLimit, api.MaxLimit), limit},
		{"after", "Where the page begins: next of the page before; left out: with the first row.", after},
	}
}

// LimitName is the parameter that says how many rows a page has at most.
const LimitName = "limit"
