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

// What a desk keeps: reports of so many jobs, for so long.
const (
	maxJobs = 512
	maxAge  = 24 * time.Hour
)

// Desk keeps the newest report of each job. It is safe for concurrent use.
type Desk struct {
	now func() time.Time

	mu    sync.Mutex
	last  map[nodeprobe.Owner]entry
	taken uint64
}

// entry is a report with the steady time it came.
type entry struct {
	nodeprobe.Report
	came time.Time
}

// NewDesk returns a desk without reports; now is time.Now but in tests.
func NewDesk(now func() time.Time) *Desk {
	return &Desk{now: now, last: map[nodeprobe.Owner]entry{}}
}

// Take keeps a line as the owner's newest report. What the line leaves out is
// forgotten, too. The error says what is wrong with it.
func (d *Desk) Take(line []byte, by nodeprobe.Owner, uid int) error {
	p, err := Parse(line)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	key := nodeprobe.Owner{Job: by.Job, SLUID: by.SLUID}
	if _, known := d.last[key]; !known {
		d.makeRoom(now)
	}
	d.last[key] = entry{nodeprobe.Report{Owner: by, UID: uid, At: now.UTC(), Did: p}, now}
	d.taken++
	return nil
}

// makeRoom forgets what is old, and the oldest when there are too many.
func (d *Desk) makeRoom(now time.Time) {
	var oldest nodeprobe.Owner
	var at time.Time
	for key, e := range d.last {
		if now.Sub(e.came) > maxAge {
			delete(d.last, key)
		} else if at.IsZero() || e.came.Before(at) {
			oldest, at = key, e.came
		}
	}
	if len(d.last) >= maxJobs {
		delete(d.last, oldest)
	}
}

// Reports returns the newest report of each job, by job and SLUID.
func (d *Desk) Reports() []nodeprobe.Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	var out []nodeprobe.Report
	for _, e := range d.last {
		if age := now.Sub(e.came); age <= maxAge {
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
func (d *Desk) Taken() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.taken
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
