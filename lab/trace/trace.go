// Package trace reads the histories of clusters, published and one's own, as
// workloads for the simulator, and writes them in a format of ours.
package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/datafile"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// Trace is a workload as a file tells it.
type Trace struct {
	Name   string         // of the file, without folder and ending
	Path   string         // of the file; "": made
	Format string         // one of Formats
	Jobs   []workload.Job // by arrival, then as in the file; ids are unique
	// Accounts are those the file gives weights to, by name.
	Accounts []policy.Account
	// Start is the moment from which jobs count their seconds; zero where the
	// file counts from a beginning of its own.
	Start time.Time
	// IgnoredByReason counts what is no job for us and no fault either, by reason: job
	// steps, jobs without GPUs, jobs that never ran.
	IgnoredByReason map[string]int
	Notes           []string // what to know before believing figures made of it
	SkippedCount    int      // bad rows that ReadOptions.SkipBad passed over
	FirstErrors     []error  // the first few of them
}

// ReadOptions say how to read a file. The zero value fits the published ones.
type ReadOptions struct {
	Format      string  // one of Formats; "" or "auto": found out from the content
	GPUsPerProc float64 // swf counts processors: GPUs that one of them stands for; 0: 1
	SkipBad     bool    // pass over rows that make no sense
	// KeepsSteps: jobs of formats that tell both (elasticflow, itp) run for their steps, at speeds
	// of throughput tables, instead of for as long as they ran.
	KeepsSteps bool
	// ProfilesPath is the folder with the profiles of applications, for format pollux; see
	// goodput.ReadProfiles.
	ProfilesPath string
}

// maxKeptErrors is how many bad rows are kept to be shown.
const maxKeptErrors = 5

// ReadFile reads a trace, packed by gzip or not. Errors are a workload.Problem where a line
// of the file is at fault.
func ReadFile(path string, o ReadOptions) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}
	defer f.Close()
	return Read(f, path, o)
}

// Read reads a trace from r; the path names it in errors.
func Read(r io.Reader, path string, o ReadOptions) (*Trace, error) {
	in, err := datafile.NewGunzipReader(r)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	head, err := in.Peek(datafile.LookAheadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if len(strings.TrimSpace(string(head))) == 0 {
		return nil, fmt.Errorf("reading %s: the file is empty", path)
	}
	f, err := findFormat(o.Format, head)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	s := newJobCollector(path, f.Name, o)
	if err := f.readJobs(in, s); err != nil {
		return nil, err
	}
	return s.finishTrace()
}

// nameFromPath is what a trace is called after its file.
func nameFromPath(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// CheckFits says which jobs can never run on a cluster with so many GPUs of each
// type, as one error of several Problems; nil when all can.
func (t *Trace) CheckFits(gpus map[string]int) error {
	all := 0
	for _, n := range gpus {
		all = max(all, n)
	}
	var wrong problemList
	for i := range t.Jobs {
		j := &t.Jobs[i]
		n, known := gpus[j.GPUType]
		switch {
		case j.GPUType == "":
			if j.GPUs > all {
				wrong.add(
					t,
					j,
					"gpus",
					fmt.Sprintf(
						"job %d wants %s, but the cluster has at most %d of one type; take a larger cluster or leave the job out",
						j.ID,
						policy.FormatCount(j.GPUs, "GPU"),
						all,
					),
				)
			}
		case !known:
			wrong.add(
				t,
				j,
				"gpu type",
				fmt.Sprintf(
					"job %d wants GPUs of type %s, but the cluster has %s",
					j.ID,
					j.GPUType,
					strings.Join(slices.Sorted(maps.Keys(gpus)), ", "),
				),
			)
		case j.GPUs > n:
			wrong.add(
				t,
				j,
				"gpus",
				fmt.Sprintf(
					"job %d wants %s of type %s, but the cluster has %d; take a larger cluster or leave the job out",
					j.ID,
					policy.FormatCount(j.GPUs, "GPU"),
					j.GPUType,
					n,
				),
			)
		}
	}
	return wrong.combinedError()
}

// problemList are the faults of a trace; only the first few are kept.
type problemList struct {
	firstErrors []error
	moreCount   int
}

func (p *problemList) add(t *Trace, j *workload.Job, column, what string) {
	if len(p.firstErrors) == maxKeptErrors {
		p.moreCount++
		return
	}
	p.firstErrors = append(
		p.firstErrors,
		workload.Problem{File: cmp.Or(t.Path, t.Name), Line: j.Line, Column: column, Message: what},
	)
}

func (p *problemList) combinedError() error {
	if p.moreCount > 0 {
		p.firstErrors = append(p.firstErrors, fmt.Errorf("and %d more", p.moreCount))
	}
	return errors.Join(p.firstErrors...)
}
