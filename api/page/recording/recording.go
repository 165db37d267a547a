// Package recording keeps what the API answered in one file, and answers from it: pages can be looked at without a
// daemon and without Slurm. It holds what who recorded it might see, and nothing is hidden in it from who has the file.
package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"fairbridge/api"
	"fairbridge/api/page"
)

// format is the first field of every recording.
const format = "fairbridge-recording-1"

// maxBytes is the largest recording that is read.
const maxBytes = 512 << 20

// Recording is all answers of one moment.
type Recording struct {
	Format        string                 `json:"format"`
	At            time.Time              `json:"recorded"`
	QueueAnswer   *api.Queue             `json:"queue"`
	Jobs          map[string]*api.Job    `json:"jobs"` // by address
	NodesAnswer   *api.Nodes             `json:"nodes"`
	SharesAnswer  *api.Shares            `json:"shares"`
	ChangesAnswer *api.Changes           `json:"changes"`
	Reports       map[string]*api.Report `json:"reports"` // by name
	StudiesAnswer *api.Studies           `json:"studies,omitempty"`
	Lines         []api.StudyLine        `json:"study,omitempty"` // of a recording that has no studies
}

// ReadFile reads a recording. One that was cut off, or is something else, is an error that says so.
func ReadFile(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a recording: %w", err)
	}
	defer f.Close()
	rec, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("reading the recording %s: %w", path, err)
	}
	return rec, nil
}

// Read is ReadFile of what was opened.
func Read(r io.Reader) (*Recording, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxBytes {
		return nil, fmt.Errorf("it has more than %d MiB", maxBytes>>20)
	}
	var rec Recording
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(raw, &rec); {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(raw)):
		return nil, fmt.Errorf("it ends too early, after %d bytes: it was cut off; record it anew, or copy it again: %w", len(raw), err)
	case err != nil:
		return nil, fmt.Errorf("it is no recording (fairbridge web --record FILE writes one): %w", err)
	case rec.Format != format:
		return nil, fmt.Errorf("it is no recording of this version: its format is %q, not %q", rec.Format, format)
	case rec.QueueAnswer == nil || rec.NodesAnswer == nil || rec.SharesAnswer == nil || rec.ChangesAnswer == nil:
		return nil, errors.New("queue, nodes, shares or changes are missing in it: record it anew")
	}
	return &rec, nil
}

// Write writes a recording.
func (rec *Recording) Write(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(rec); err != nil {
		return fmt.Errorf("writing a recording: %w", err)
	}
	return nil
}

// MaxJobs is of how many jobs the stories are recorded: those of the queue first, then those that changes are about.
const MaxJobs = 300

// Record asks all that pages ask, as of a moment, and the stories of at most maxJobs jobs. ask calls what it is given,
// and may do so again: where the source takes no more requests for now.
func Record(ctx context.Context, s page.Source, at time.Time, maxJobs int, ask func(func() error) error) (*Recording, error) {
	rec := &Recording{Format: format, At: at.UTC(), Jobs: map[string]*api.Job{}, Reports: map[string]*api.Report{}}
	err := errors.Join(
		record(ask, &rec.QueueAnswer, func() (*api.Queue, error) {
			return s.Queue(ctx, api.QueueQuery{Limit: api.MaxLimit, Estimates: true})
		}),
		record(ask, &rec.NodesAnswer, func() (*api.Nodes, error) { return s.Nodes(ctx, api.NodeQuery{Limit: api.MaxLimit}) }),
		record(ask, &rec.SharesAnswer, func() (*api.Shares, error) { return s.Shares(ctx) }),
		record(ask, &rec.ChangesAnswer, func() (*api.Changes, error) {
			return s.Changes(ctx, api.ChangeQuery{Limit: api.DefaultLimit, Since: at.AddDate(0, 0, -1)})
		}),
		record(ask, &rec.StudiesAnswer, func() (*api.Studies, error) { return readStudies(ctx, s) }))
	if err != nil {
		return nil, err
	}
	for _, name := range page.ReportNames() {
		var answer *api.Report
		if err := record(ask, &answer, func() (*api.Report, error) { return s.Report(ctx, name, page.NewReportQuery(at)) }); err != nil {
			return nil, fmt.Errorf("report %s: %w", name, err)
		}
		rec.Reports[name] = answer
	}
	return rec, rec.recordJobs(ctx, s, maxJobs, ask)
}

// readStudies are the studies; nil where they are for others only, or the daemon is older than they are: the rest is
// recorded all the same.
func readStudies(ctx context.Context, s page.Source) (*api.Studies, error) {
	all, err := s.Studies(ctx)
	if code := api.CodeOf(err); code == api.CodeForbidden || code == api.CodeNotFound {
		return nil, nil
	}
	return all, err
}

func record[T any](ask func(func() error) error, to *T, get func() (T, error)) error {
	return ask(func() (err error) {
		*to, err = get()
		return err
	})
}

// recordJobs records the stories of jobs. One that is gone meanwhile is left out.
func (rec *Recording) recordJobs(ctx context.Context, s page.Source, most int, ask func(func() error) error) error {
	var addresses []string
	for i := range rec.QueueAnswer.Jobs {
		addresses = append(addresses, rec.QueueAnswer.Jobs[i].Address)
	}
	for i := range rec.ChangesAnswer.Changes {
		addresses = append(addresses, rec.ChangesAnswer.Changes[i].Address)
	}
	for _, address := range addresses {
		if rec.Jobs[address] != nil || len(rec.Jobs) >= most {
			continue
		}
		var job *api.Job
		err := record(ask, &job, func() (*api.Job, error) { return s.Job(ctx, address) })
		switch {
		case api.CodeOf(err) == api.CodeNotFound:
		case err != nil:
			return fmt.Errorf("job %s: %w", address, err)
		default:
			rec.Jobs[address] = job
		}
	}
	return nil
}
