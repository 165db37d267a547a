package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
