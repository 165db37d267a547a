package api

import (
	"encoding/json"
	"time"

	"fairbridge/accounting/report"
)

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
