package progress

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"fairbridge/nodeprobe"
)

// What an inbox keeps: reports of so many jobs, for so long.
const (
	maxJobsKept  = 512
	maxReportAge = 24 * time.Hour
)

// Inbox keeps the newest report of each job. It is safe for concurrent use.
type Inbox struct {
	now func() time.Time

	mu               sync.Mutex
	newestByJob      map[nodeprobe.ProcessJob]receivedReport
	takenReportCount uint64
}

// receivedReport is a report with the steady time it came.
type receivedReport struct {
	nodeprobe.ProgressReport
	receivedAt time.Time
}

// NewInbox returns an inbox without reports; now is time.Now but in tests.
func NewInbox(now func() time.Time) *Inbox {
	return &Inbox{now: now, newestByJob: map[nodeprobe.ProcessJob]receivedReport{}}
}

// TakeReportLine keeps a line as the owner's newest report. What the line leaves out is
// forgotten, too. The error says what is wrong with it.
func (i *Inbox) TakeReportLine(line []byte, by nodeprobe.ProcessJob, uid int) error {
	p, err := ParseProgress(line)
	if err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	now := i.now()
	key := nodeprobe.ProcessJob{Job: by.Job, SLUID: by.SLUID}
	if _, known := i.newestByJob[key]; !known {
		i.dropOldReports(now)
	}
	i.newestByJob[key] = receivedReport{nodeprobe.ProgressReport{ProcessJob: by, UID: uid, ReceivedAt: now.UTC(), Progress: p}, now}
	i.takenReportCount++
	return nil
}

// dropOldReports forgets what is old, and the oldest when there are too many.
func (i *Inbox) dropOldReports(now time.Time) {
	var oldest nodeprobe.ProcessJob
	var at time.Time
	for key, e := range i.newestByJob {
		if now.Sub(e.receivedAt) > maxReportAge {
			delete(i.newestByJob, key)
		} else if at.IsZero() || e.receivedAt.Before(at) {
			oldest, at = key, e.receivedAt
		}
	}
	if len(i.newestByJob) >= maxJobsKept {
		delete(i.newestByJob, oldest)
	}
}

// NewestReports returns the newest report of each job, by job and SLUID.
func (i *Inbox) NewestReports() []nodeprobe.ProgressReport {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := i.now()
	var out []nodeprobe.ProgressReport
	for _, e := range i.newestByJob {
		if age := now.Sub(e.receivedAt); age <= maxReportAge {
			r := e.ProgressReport
			r.AgeSeconds = age.Seconds()
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b nodeprobe.ProgressReport) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.SLUID, b.SLUID))
	})
	return out
}

// TakenReportCount returns how many reports were taken.
func (i *Inbox) TakenReportCount() uint64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.takenReportCount
}

// ParseProgress reads one line of JSON strictly: a misspelt name is an error and not
// nothing.
func ParseProgress(line []byte) (nodeprobe.Progress, error) {
	var p nodeprobe.Progress
	in := json.NewDecoder(bytes.NewReader(line))
	in.DisallowUnknownFields()
	if err := in.Decode(&p); err != nil {
		return nodeprobe.Progress{}, fmt.Errorf("not a report, such as {\"epoch\": 3, \"epochs\": 90}: %w", err)
	}
	if in.More() {
		return nodeprobe.Progress{}, errors.New("more than one report in a line")
	}
	return p, p.Check()
}
