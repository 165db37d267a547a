// Package reader takes samples: it reads the driver, opening it as long as there
// is none, and names the jobs of the processes. Its calls can hang with the
// driver; package child keeps it in a process of its own.
package reader

import (
	"fmt"
	"time"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/owner"
)

// Driver is an opened driver.
type Driver interface {
	Info() nodeprobe.DriverInfo
	ReadGPUs() ([]nodeprobe.GPU, error)
	Close() error
}

// Reader takes samples. It is not safe for concurrent use.
type Reader struct {
	NodeName   string
	OpenDriver func() (Driver, error)
	JobFinder  owner.JobFinder
	Now        func() time.Time

	driver Driver // nil: not open
}

// TakeSample takes a sample. Without a driver the sample says so; the next one tries
// again.
func (r *Reader) TakeSample() nodeprobe.Sample {
	s := nodeprobe.Sample{Node: r.NodeName, GPUs: []nodeprobe.GPU{}}
	if err := r.readDriver(&s); err != nil {
		s.Error = err.Error()
	}
	return s
}

func (r *Reader) readDriver(s *nodeprobe.Sample) error {
	if err := r.openDriver(); err != nil {
		return err
	}
	owners := r.JobFinder.BeginLookup()
	gpus, err := r.driver.ReadGPUs()
	if err != nil {
		return r.reopenLater(err)
	}
	nameProcessJobs(gpus, owners)
	s.At, s.Driver, s.GPUs = r.Now().UTC(), r.driver.Info(), gpus
	return nil
}

func (r *Reader) openDriver() (err error) {
	if r.driver == nil {
		r.driver, err = r.OpenDriver()
	}
	if err != nil {
		r.driver = nil // not a nil pointer in an interface
	}
	return err
}

// reopenLater closes a driver that fails as a whole, so that the next sample opens the
// one that may be there after a reload.
func (r *Reader) reopenLater(why error) error {
	err := r.driver.Close()
	r.driver = nil
	if err != nil {
		return fmt.Errorf("%w (closing it: %v)", why, err)
	}
	return why
}

// Close gives the driver back.
func (r *Reader) Close() error {
	if r.driver == nil {
		return nil
	}
	err := r.driver.Close()
	r.driver = nil
	return err
}

// nameProcessJobs finds the job of every process, once for each.
func nameProcessJobs(gpus []nodeprobe.GPU, owners owner.Lookup) {
	known := map[int]nodeprobe.ProcessJob{}
	for i := range gpus {
		for j := range gpus[i].Processes {
			p := &gpus[i].Processes[j]
			o, ok := known[p.PID]
			if !ok {
				o = owners.JobOfProcess(p.PID)
				known[p.PID] = o
			}
			p.Job = o
		}
	}
}
