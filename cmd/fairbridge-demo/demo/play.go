package demo

import (
	"context"
	"fmt"
	"time"
)

const (
	playInterval        = 500 * time.Millisecond // between two looks for due submissions
	stepsPerObservation = 4                      // steps between two looks at the queue
	maxPlayTime         = 10 * time.Minute       // a day this long hangs
)

// progress is how far a day has come.
type progress struct {
	Elapsed      time.Duration // since it began
	Queue        []queuedTask
	WaitingCount int
	RunningCount int
	DoneCount    int
	JobCount     int
	BusyGPUs     int // GPUs that jobs hold
}

func (p *progress) String() string {
	return fmt.Sprintf("%3d s: %d of %d jobs done, %d run, %d wait, %d of %d GPUs held",
		int(p.Elapsed.Seconds()), p.DoneCount, p.JobCount, p.RunningCount, p.WaitingCount, p.BusyGPUs, totalGPUs)
}

// playDay submits the jobs when their time comes and returns when all have ended.
// It calls look every other second; an error of look ends the day.
func playDay(ctx context.Context, s cluster, day []Job, look func(*progress) error) error {
	begin, next := s.Now(), 0
	for i := 0; ; i++ {
		at := s.Now().Sub(begin)
		for ; next < len(day) && day[next].SubmitAt <= at; next++ {
			if err := s.Submit(ctx, &day[next]); err != nil {
				return err
			}
		}
		if i%stepsPerObservation == 0 {
			p, err := observeProgress(ctx, s, day, next)
			if err != nil {
				return err
			}
			p.Elapsed = at
			if err := look(p); err != nil {
				return err
			}
			if next == len(day) && p.DoneCount == p.JobCount {
				return nil
			}
		}
		if at > maxPlayTime {
			return fmt.Errorf("the day's jobs did not end within %v", maxPlayTime)
		}
		if err := s.Wait(ctx, playInterval); err != nil {
			return err
		}
	}
}

// observeProgress looks at the queue when so many jobs of the day were submitted.
func observeProgress(ctx context.Context, s cluster, day []Job, submitted int) (*progress, error) {
	list, err := s.Queue(ctx)
	if err != nil {
		return nil, err
	}
	p := &progress{Queue: list}
	width := map[string]int{}
	for i := range day {
		p.JobCount += day[i].TaskCount()
		width[day[i].Name] = day[i].TotalGPUs()
		if i < submitted {
			p.DoneCount += day[i].TaskCount()
		}
	}
	p.DoneCount -= len(list)
	for _, q := range list {
		if q.IsRunning {
			p.RunningCount++
			p.BusyGPUs += width[q.JobName]
		} else {
			p.WaitingCount++
		}
	}
	return p, nil
}
