package slurmdb

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// SacctColumns is what sacct should print, for sacct -aDXP -o. The name comes last,
// because it may hold the sign that separates columns.
const SacctColumns = "JobIDRaw,JobID,Cluster,State,Submit,Eligible,Start,End,Suspended,TimelimitRaw,User,Account,QOS,Partition,Reason,NodeList,AllocTRES,ReqTRES,JobName"

// requiredSacctColumns are the columns without which rows say too little.
var requiredSacctColumns = []string{"jobidraw", "state", "submit", "start", "end", "user", "account", "nodelist", "alloctres"}

// maxLineBytes bounds a line of sacct's output.
const maxLineBytes = 1 << 20

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
// cluster is not "". The first line that cannot be read is an error, a
// *ParseError that names file.
func ReadSacct(in io.Reader, file, cluster string, zone *time.Location) ([]Job, error) {
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, maxLineBytes)
	r := sacctReader{timeZone: zone, internedTexts: map[string]string{}}
	var jobs []Job
	line := 0
	fail := func(err error) error { return &ParseError{file, line, r.currentColumn, err} }
	for scan.Scan() {
		line++
		text := strings.TrimRight(scan.Text(), "\r")
		if text == "" {
			continue
		}
		if r.columns == nil {
			if err := r.readHeading(text); err != nil {
				return nil, fail(err)
			}
			continue
		}
		j, keep, err := r.readRow(text)
		if err != nil {
			return nil, fail(err)
		}
		if keep && (cluster == "" || j.Cluster == "" || j.Cluster == cluster) {
			jobs = append(jobs, j)
		}
	}
	line, r.currentColumn = line+1, ""
	if err := scan.Err(); err != nil {
		return nil, fail(err)
	}
	if r.columns == nil {
		return nil, fail(errors.New("no heading: the file is empty"))
	}
	return jobs, nil
}

// sacctReader reads lines.
type sacctReader struct {
	columns       []string
	fields        []string
	timeZone      *time.Location
	internedTexts map[string]string // texts seen before: one copy of each
	currentColumn string            // being read, for errors
	firstError    error
}

// readHeading reads the first line.
func (r *sacctReader) readHeading(text string) error {
	columns := strings.Split(strings.ToLower(strings.TrimSuffix(text, "|")), "|")
	for _, n := range requiredSacctColumns {
		if !slices.Contains(columns, n) {
			return fmt.Errorf("the heading has no column %s; ask for: SLURM_TIME_FORMAT=%%s sacct -aDXP -o %s", n, SacctColumns)
		}
	}
	r.columns = columns
	return nil
}

// readRow reads a line. Steps are not kept.
func (r *sacctReader) readRow(text string) (j Job, keep bool, err error) {
	r.currentColumn, r.firstError = "", nil
	r.fields = strings.SplitN(text, "|", len(r.columns))
	if len(r.fields) < len(r.columns) {
		return j, false, fmt.Errorf("%d columns, the heading has %d", len(r.fields), len(r.columns))
	}
	last := len(r.columns) - 1
	if r.columns[last] != "jobname" && strings.Contains(strings.TrimSuffix(r.fields[last], "|"), "|") {
		return j, false, fmt.Errorf("more columns than the heading's %d: a name with a | in it? ask for JobName as the last column", len(r.columns))
	}
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
