package demo

import (
	"context"
	"fmt"
	"time"
)

const (
	step     = 500 * time.Millisecond // between two looks for due submissions
	lookStep = 4                      // steps between two looks at the queue
	endless  = 10 * time.Minute       // a day this long hangs
)

// progress is how far a day has come.
type progress struct {
	At      time.Duration // since it began
	Queue   []queued
	Waiting int
	Running int
	Done    int
	Jobs    int
	Busy    int // GPUs that jobs hold
}

func (p *progress) String() string {
	return fmt.Sprintf("%3d s: %d of %d jobs done, %d run, %d wait, %d of %d GPUs held",
		int(p.At.Seconds()), p.Done, p.Jobs, p.Running, p.Waiting, p.Busy, capacity)
}

// play submits the jobs when their time comes and returns when all have ended.
// It calls look every other second; an error of look ends the day.
func play(ctx context.Context, s site, day []Job, look func(*progress) error) error {
	begin, next := s.Now(), 0
	for i := 0; ; i++ {
		at := s.Now().Sub(begin)
		for ; next < len(day) && day[next].At <= at; next++ {
			if err := s.Submit(ctx, &day[next]); err != nil {
				return err
			}
		}
		if i%lookStep == 0 {
			p, err := observe(ctx, s, day, next)
			if err != nil {
				return err
			}
			p.At = at
			if err := look(p); err != nil {
				return err
			}
			if next == len(day) && p.Done == p.Jobs {
				return nil
			}
		}
		if at > endless {
			return fmt.Errorf("the day's jobs did not end within %v", endless)
		}
		if err := s.Wait(ctx, step); err != nil {
			return err
		}
	}
}

// observe looks at the queue when so many jobs of the day were submitted.
func observe(ctx context.Context, s site, day []Job, submitted int) (*progress, error) {
	list, err := s.Queue(ctx)
	if err != nil {
		return nil, err
	}
	p := &progress{Queue: list}
	width := map[string]int{}
	for i := range day {
		p.Jobs += day[i].Count()
		width[day[i].Name] = day[i].Width()
		if i < submitted {
			p.Done += day[i].Count()
		}
	}
	p.Done -= len(list)
	for _, q := range list {
		if q.Runs {
			p.Running++
			p.Busy += width[q.Name]
		} else {
			p.Waiting++
		}
	}
	return p, nil
}
