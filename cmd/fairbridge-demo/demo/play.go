package demo

import (
	"context"
	"fmt"
	"time"

	"fairbridge/cmd/fairbridge-demo/workday"
)

const (
	playInterval        = 500 * time.Millisecond // between two looks for due submissions, on a day in real time
	virtualPlayInterval = 5 * time.Second        // likewise in virtual time
	stepsPerObservation = 4                      // steps between two looks at the queue
	maxDayHours         = 20                     // a day this long hangs
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
		int(p.Elapsed.Seconds()), p.DoneCount, p.JobCount, p.RunningCount, p.WaitingCount, p.BusyGPUs, workday.TotalGPUs)
}

// dayPlay plays a day on a cluster.
type dayPlay struct {
	cluster cluster
	day     []workday.Job
	speed   float64                                // of the day
	look    func(context.Context, *progress) error // called every few steps; an error ends the day

	latest time.Duration // by how much a submission was late, at most
}

// run submits the jobs when their time comes and returns when all have ended.
func (y *dayPlay) run(ctx context.Context) error {
	step, longest := playInterval, workday.CompressTime(maxDayHours*time.Hour, y.speed)
	if y.speed == 1 {
		step = virtualPlayInterval
	}
	begin, next := y.cluster.Now(), 0
	for i := 0; ; i++ {
		at := y.cluster.Now().Sub(begin)
		var err error
		if next, err = y.submitDue(ctx, begin, next); err != nil {
			return err
		}
		if i%stepsPerObservation == 0 {
			if done, err := y.observe(ctx, at, next); err != nil || done {
				return err
			}
		}
		if at > longest {
			return fmt.Errorf("the day's jobs did not end within %v", longest)
		}
		if err := y.cluster.Wait(ctx, step); err != nil {
			return err
		}
	}
}

// submitDue submits the jobs from the next on whose time has come, and returns the next.
func (y *dayPlay) submitDue(ctx context.Context, begin time.Time, next int) (int, error) {
	for ; next < len(y.day); next++ {
		late := y.cluster.Now().Sub(begin) - y.day[next].SubmitAt
		if late < 0 {
			break
		}
		if err := y.cluster.Submit(ctx, &y.day[next]); err != nil {
			return next, err
		}
		y.latest = max(y.latest, y.cluster.Now().Sub(begin)-y.day[next].SubmitAt)
	}
	return next, nil
}

// observe looks at the queue when so many jobs of the day were submitted, and says whether
// the day is over.
func (y *dayPlay) observe(ctx context.Context, at time.Duration, submitted int) (done bool, err error) {
	p, err := observeProgress(ctx, y.cluster, y.day, submitted)
	if err != nil {
		return false, err
	}
	p.Elapsed = at
	if err := y.look(ctx, p); err != nil {
		return false, err
	}
	return submitted == len(y.day) && p.DoneCount == p.JobCount, nil
}

// observeProgress looks at the queue when so many jobs of the day were submitted.
func observeProgress(ctx context.Context, s cluster, day []workday.Job, submitted int) (*progress, error) {
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
