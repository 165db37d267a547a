// Package look takes samples: it reads the driver, opening it as long as there
// is none, and names the jobs of the processes. Its calls can hang with the
// driver; package child keeps it in a process of its own.
package look

import (
	"fmt"
	"time"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/owner"
)

// Driver is an opened driver.
type Driver interface {
	About() nodeprobe.Driver
	Read() ([]nodeprobe.GPU, error)
	Close() error
}

// Looker takes samples. It is not safe for concurrent use.
type Looker struct {
	Node   string
	Open   func() (Driver, error)
	Owners owner.Finder
	Now    func() time.Time

	driver Driver // nil: not open
}

// Take takes a sample. Without a driver the sample says so; the next one tries
// again.
func (l *Looker) Take() nodeprobe.Sample {
	s := nodeprobe.Sample{Node: l.Node, GPUs: []nodeprobe.GPU{}}
	if err := l.read(&s); err != nil {
		s.Error = err.Error()
	}
	return s
}

func (l *Looker) read(s *nodeprobe.Sample) error {
	if err := l.open(); err != nil {
		return err
	}
	look := l.Owners.Begin()
	gpus, err := l.driver.Read()
	if err != nil {
		return l.drop(err)
	}
	name(gpus, look)
	s.At, s.Driver, s.GPUs = l.Now().UTC(), l.driver.About(), gpus
	return nil
}

func (l *Looker) open() (err error) {
	if l.driver == nil {
		l.driver, err = l.Open()
	}
	if err != nil {
		l.driver = nil // not a nil pointer in an interface
	}
	return err
}

// drop closes a driver that fails as a whole, so that the next look opens the
// one that may be there after a reload.
func (l *Looker) drop(why error) error {
	err := l.driver.Close()
	l.driver = nil
	if err != nil {
		return fmt.Errorf("%w (closing it: %v)", why, err)
	}
	return why
}

// Close gives the driver back.
func (l *Looker) Close() error {
	if l.driver == nil {
		return nil
	}
	err := l.driver.Close()
	l.driver = nil
	return err
}

// name finds the job of every process, once for each.
func name(gpus []nodeprobe.GPU, look owner.Look) {
	known := map[int]nodeprobe.Owner{}
	for i := range gpus {
		for j := range gpus[i].Procs {
			p := &gpus[i].Procs[j]
			o, ok := known[p.PID]
			if !ok {
				o = look.Of(p.PID)
				known[p.PID] = o
			}
			p.Owner = o
		}
	}
}
