package answers

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/slurm"
)

// heldSlurm shows no job until it is let.
type heldSlurm struct {
	Slurm
	asked *atomic.Int64
	goOn  chan struct{}
}

func (h heldSlurm) PeekJob(_ context.Context, id int64) (slurm.Job, error) {
	h.asked.Add(1)
	<-h.goOn
	return slurm.Job{ID: id}, nil
}

// Slurm is asked for four jobs at once; who waits too long for a fifth is told so.
func TestSlurmIsAskedForFewAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		held := heldSlurm{asked: &asked, goOn: make(chan struct{})}
		s := New(Config{}, Parts{Slurm: held, Now: time.Now})
		ids := make(chan int64, 10)
		for i := range 6 {
			go func() {
				j, _ := s.parts.Slurm.PeekJob(t.Context(), int64(i))
				ids <- j.ID
			}()
			synctest.Wait()
		}
		if asked.Load() != 4 {
			t.Errorf("asked for %d jobs at once", asked.Load())
		}
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		if _, err := s.findWaitingTask(ctx, address{job: 9, task: 1}); api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("one who waits too long: %v", err)
		}
		close(held.goOn)
		for range 6 {
			<-ids
		}
		if asked.Load() != 6 {
			t.Errorf("asked for %d jobs in the end", asked.Load())
		}
	})
}
