package slurmdb

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// SacctColumns is what sacct should print, for sacct -aDXP -o. The name comes last,
// because it may hold the sign that separates columns.
const SacctColumns = "JobIDRaw,JobID,Cluster,State,Submit,Eligible,Start,End,Suspended,TimelimitRaw,User,Account,QOS,Partition,Reason,NodeList,AllocTRES,ReqTRES,JobName"

// requiredSacctColumns are the columns without which rows say too little.
var requiredSacctColumns = []string{"jobidraw", "state", "submit", "start", "end", "user", "account", "nodelist", "alloctres"}

// ParseError is a line that cannot be read.
type ParseError struct {
	File   string
	Line   int
	Column string // "": the line as a whole
	Err    error
}

// Error says "file:line: column: what".
func (e *ParseError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d: %s: %v", e.File, e.Line, e.Column, e.Err)
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// ReadSacct reads the output of sacct -P with a heading. Times without a zone are
// in zone; seconds since 1970, which sacct prints with SLURM_TIME_FORMAT=%s,
// are not in doubt. Steps are passed over, and rows of other clusters where
// cluster is not "". bad are the rows that make no sense, each a *ParseError that names
// file; err is one where no row can be read.
func ReadSacct(in io.Reader, file, cluster string, zone *time.Location) (jobs []Job, bad []error, err error) {
	r := sacctReader{timeZone: zone, internedTexts: map[string]string{}}
	for row, err := range slurm.ReadTextTable(in) {
		var j Job
		keep := false
		switch {
		case err != nil:
			return nil, nil, &ParseError{file, row.Line, "", err}
		case r.columns == nil:
			if err := r.readHeading(row.Cells); err != nil {
				return nil, nil, &ParseError{file, row.Line, "", err}
			}
			continue
		case row.Err != nil:
			r.currentColumn, err = "", row.Err
		default:
			j, keep, err = r.readRow(row.Cells)
		}
		if err != nil {
			bad = append(bad, &ParseError{file, row.Line, r.currentColumn, err})
		} else if keep && (cluster == "" || j.Cluster == "" || j.Cluster == cluster) {
			jobs = append(jobs, j)
		}
	}
	if r.columns == nil {
		return nil, nil, &ParseError{file, 1, "", errors.New("no heading: the file is empty")}
	}
	return jobs, bad, nil
}

// sacctReader reads rows.
type sacctReader struct {
	columns       []string
	fields        []string
	timeZone      *time.Location
	internedTexts map[string]string // texts seen before: one copy of each
	currentColumn string            // being read, for errors
	firstError    error
}

// readHeading reads the first line.
func (r *sacctReader) readHeading(cells []string) error {
	columns := strings.Split(strings.ToLower(strings.Join(cells, "|")), "|")
	for _, n := range requiredSacctColumns {
		if !slices.Contains(columns, n) {
			return fmt.Errorf("the heading has no column %s; ask for: SLURM_TIME_FORMAT=%%s sacct -aDXP -o %s", n, SacctColumns)
		}
	}
	r.columns = columns
	return nil
}

// readRow reads a row. Steps are not kept.
func (r *sacctReader) readRow(cells []string) (j Job, keep bool, err error) {
	r.currentColumn, r.firstError, r.fields = "", nil, cells
	if strings.Contains(r.fieldText("jobidraw"), ".") {
		return j, false, nil
	}
	j = r.parseJob()
	if r.firstError != nil {
		return Job{}, false, r.firstError
	}
	r.currentColumn = ""
	j, err = j.normalise()
	return j, err == nil, err
}
