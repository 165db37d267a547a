package api

import (
	"encoding/json"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/report"
	"fairbridge/bridge"
)

// QueueQuery says which jobs of the queue are wanted. Within a field any value matches, all
// fields must; an empty field matches every job.
type QueueQuery struct {
	Partitions []string
	Users      []string
	Accounts   []string
	States     []string // PENDING, RUNNING, in any case
	Jobs       []string // addresses: 4711, 47_3, 47 for all of the array
	Nodes      []string // jobs that hold GPUs there
	Limit      int      // most rows; 0: DefaultLimit
	After      string   // Queue.Next of the page before; "": from the first
	Estimates  bool     // with when jobs are thought to start, and how those that did relate to plans
}

// DefaultLimit is how many rows a page has where the query does not say, MaxLimit the most
// that may be asked for.
const (
	DefaultLimit = 1000
	MaxLimit     = 100_000
)

// Queue is the jobs of the last cycle of each partition by partition and rank.
type Queue struct {
	Partitions []PartitionState `json:"partitions"` // of which the jobs are
	Jobs       []QueueJob       `json:"jobs"`
	Total      int              `json:"total"`          // jobs that match, of all pages
	Hidden     int              `json:"hidden"`         // jobs that would match, and are private
	Next       string           `json:"next,omitempty"` // where the next page begins; "": this is the last
	Daemon     DaemonState      `json:"daemon"`
}

// QueueJob is one job in the queue, with what its partition's last cycle shows of it.
type QueueJob struct {
	journal.QueueRow
	Address   string   `json:"address"`              // the job as squeue writes it: 4711, 47_3, 47_[0-9]
	Tasks     int      `json:"tasks,omitempty"`      // of an array that waits unsplit
	NotPushed []string `json:"not_pushed,omitempty"` // why what was decided about it was not sent to Slurm
	// Estimate is when it is thought to start and end; nil: not asked for, it ran already, or
	// nothing is stored.
	Estimate *estimates.StoredEstimate `json:"estimate,omitempty"`
}

// PartitionState is the last cycle of a partition.
type PartitionState struct {
	Name   string      `json:"name"`
	Mode   bridge.Mode `json:"mode"`
	Policy string      `json:"policy"`
	Params string      `json:"params,omitempty"`
	AsOf   time.Time   `json:"as_of,omitzero"` // zero: none is stored
	Stale  bool        `json:"stale"`          // that is long ago: the daemon may not run
	// NotPushed says why nothing at all was sent to Slurm in it.
	NotPushed []string `json:"not_pushed,omitempty"`
	// Starts are those of the last seven days; nil: not asked for, or none is known.
	Starts *journal.StartCounts `json:"starts,omitempty"`
}

// DaemonState is who leads and what keeps everything from being sent.
type DaemonState struct {
	Leader *journal.Leader         `json:"leader"` // null: none ever led
	Doubts []journal.RecordedDoubt `json:"in_doubt,omitempty"`
	// MaxAge is beyond which age of a cycle the daemon may not run.
	MaxAge time.Duration `json:"max_age_ns,omitempty"`
	// RecordError says why the database could not be asked; what is answered all the same is
	// from memory, and as old as it says.
	RecordError string `json:"record_error,omitempty"`
}

// JobUse is what a job got and how it used it.
type JobUse = report.JobUse

// ReportList is the reports there are, in order of reading.
type ReportList struct {
	Reports []report.Report `json:"reports"`
}

// Report is a report with its rows. Rows that are not the viewer's to see are not in it;
// Hidden says whether there may be any.
type Report struct {
	report.Answer
	ReportScope
}

// ReportScope is what the rows of a report are about, and how far they go.
type ReportScope struct {
	Cluster string    `json:"cluster"`
	Since   time.Time `json:"since"`
	Until   time.Time `json:"until"`
	Hidden  bool      `json:"hidden,omitempty"`
	// Note says what the rows count where that is less than they seem to; parts of the whole are not in them then.
	Note string `json:"note,omitempty"`
	// SummedUpTo is the moment up to which the record was summed up; not set: nothing is yet. DaysBehind counts days
	// that changed since they were.
	SummedUpTo time.Time `json:"summed_up_to,omitzero"`
	DaysBehind int       `json:"days_behind,omitempty"`
}

// encodedReport is a report on its way: the columns say of which type the values are.
type encodedReport struct {
	report.Report
	Columns []report.Column `json:"columns"`
	Rows    json.RawMessage `json:"rows"`
	ReportScope
}

// MarshalJSON adds the columns.
func (r Report) MarshalJSON() ([]byte, error) {
	table := r.Rows
	if table == nil {
		table = &report.Table{}
	}
	rows, err := json.Marshal(table)
	if err != nil {
		return nil, err
	}
	return json.Marshal(encodedReport{r.Report, table.ListColumns(), rows, r.ReportScope})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Report) UnmarshalJSON(raw []byte) error {
	var e encodedReport
	if err := json.Unmarshal(raw, &e); err != nil {
		return err
	}
	rows, err := report.ReadTable(e.Rows, e.Columns)
	*r = Report{report.Answer{Report: e.Report, Rows: rows}, e.ReportScope}
	return err
}
