package reader_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/owner"
	"fairbridge/nodeprobe/reader"
)

// driver is opened, read and closed as its test wants.
type driver struct {
	absent, failing, stuck error
	opened, closed         int
}

func (d *driver) open() (reader.Driver, error) {
	if d.absent != nil {
		return (*driver)(nil), d.absent
	}
	d.opened++
	return d, nil
}

func (d *driver) Info() nodeprobe.DriverInfo { return nodeprobe.DriverInfo{Version: "550"} }

func (d *driver) ReadGPUs() ([]nodeprobe.GPU, error) {
	return []nodeprobe.GPU{{Processes: []nodeprobe.Process{{PID: 7}, {PID: 8}}}, {Processes: []nodeprobe.Process{{PID: 7}}}}, d.failing
}

func (d *driver) Close() error { d.closed++; return d.stuck }

func newReader(t *testing.T, d *driver) *reader.Reader {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "7"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"stat":   "7 (x) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 0",
		"cgroup": "0::/system.slice/slurmstepd.scope/job_5/step_0/user/task_0\n",
	} {
		if err := os.WriteFile(filepath.Join(root, "7", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &reader.Reader{NodeName: "n1", OpenDriver: d.open, JobFinder: owner.JobFinder{ProcDir: root}, Now: func() time.Time { return time.Unix(9, 0) }}
}

func TestTake(t *testing.T) {
	d := &driver{}
	s := newReader(t, d).TakeSample()
	if s.Error != "" || s.Node != "n1" || !s.At.Equal(time.Unix(9, 0)) || s.Driver.Version != "550" || len(s.GPUs) != 2 {
		t.Fatalf("%+v", s)
	}
	for _, g := range s.GPUs {
		for _, p := range g.Processes {
			if want := map[int]int64{7: 5}[p.PID]; p.Job.Job != want {
				t.Errorf("process %d is of job %d, want %d", p.PID, p.Job.Job, want)
			}
		}
	}
}

func TestTakeOpensTheDriverWhenThereIsOne(t *testing.T) {
	d := &driver{absent: errors.New("no driver")}
	l := newReader(t, d)
	for range 2 {
		if s := l.TakeSample(); s.Error != "no driver" || !s.At.IsZero() || s.GPUs == nil {
			t.Errorf("%+v", s)
		}
	}
	d.absent = nil
	for range 2 {
		if s := l.TakeSample(); s.Error != "" {
			t.Errorf("%+v", s)
		}
	}
	if err := l.Close(); err != nil || d.opened != 1 || d.closed != 1 {
		t.Errorf("%v, opened %d times, closed %d times", err, d.opened, d.closed)
	}
}

func TestTakeOpensAFailingDriverAgain(t *testing.T) {
	d := &driver{failing: errors.New("reloaded"), stuck: errors.New("busy")}
	l := newReader(t, d)
	if s := l.TakeSample(); !strings.Contains(s.Error, "reloaded") || !strings.Contains(s.Error, "busy") || len(s.GPUs) != 0 {
		t.Errorf("%+v", s)
	}
	d.failing = nil
	if s := l.TakeSample(); s.Error != "" || d.opened != 2 || d.closed != 1 {
		t.Errorf("%+v, opened %d times, closed %d times", s, d.opened, d.closed)
	}
}
