package report

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
	maxJobs = 512
	maxAge  = 24 * time.Hour
)

// Inbox keeps the newest report of each job. It is safe for concurrent use.
type Inbox struct {
	now func() time.Time

	mu     sync.Mutex
	newest map[nodeprobe.Owner]received
	taken  uint64
}

// received is a report with the steady time it came.
type received struct {
	nodeprobe.Report
	at time.Time
}

// NewInbox returns an inbox without reports; now is time.Now but in tests.
func NewInbox(now func() time.Time) *Inbox {
	return &Inbox{now: now, newest: map[nodeprobe.Owner]received{}}
}

// Take keeps a line as the owner's newest report. What the line leaves out is
// forgotten, too. The error says what is wrong with it.
func (i *Inbox) Take(line []byte, by nodeprobe.Owner, uid int) error {
	p, err := Parse(line)
	if err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	now := i.now()
	key := nodeprobe.Owner{Job: by.Job, SLUID: by.SLUID}
	if _, known := i.newest[key]; !known {
		i.makeRoom(now)
	}
	i.newest[key] = received{nodeprobe.Report{Owner: by, UID: uid, At: now.UTC(), Progress: p}, now}
	i.taken++
	return nil
}

// makeRoom forgets what is old, and the oldest when there are too many.
func (i *Inbox) makeRoom(now time.Time) {
	var oldest nodeprobe.Owner
	var at time.Time
	for key, e := range i.newest {
		if now.Sub(e.at) > maxAge {
			delete(i.newest, key)
		} else if at.IsZero() || e.at.Before(at) {
			oldest, at = key, e.at
		}
	}
	if len(i.newest) >= maxJobs {
		delete(i.newest, oldest)
	}
}

// Reports returns the newest report of each job, by job and SLUID.
func (i *Inbox) Reports() []nodeprobe.Report {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := i.now()
	var out []nodeprobe.Report
	for _, e := range i.newest {
		if age := now.Sub(e.at); age <= maxAge {
			r := e.Report
			r.Age = age.Seconds()
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b nodeprobe.Report) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.SLUID, b.SLUID))
	})
	return out
}

// Taken returns how many reports were taken.
func (i *Inbox) Taken() uint64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.taken
}

// Parse reads one line of JSON strictly: a misspelt name is an error and not
// nothing.
func Parse(line []byte) (nodeprobe.Progress, error) {
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
