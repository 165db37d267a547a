package live_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fairbridge/bridge/slurm/live"
)

// TestWhoLooksDoesNotWaitForWhoConnects wants users who ask about jobs to have an answer while
// the loop connects, and never to stand in line before it.
func TestWhoLooksDoesNotWaitForWhoConnects(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	errDown := errors.New("slurmrestd is down")
	dials := 0
	c := live.NewLazyCluster(func(context.Context) (*live.Cluster, error) {
		dials++
		close(begun)
		<-end
		return nil, errDown
	})
	observed := make(chan error)
	go func() {
		_, err := c.Observe(t.Context())
		observed <- err
	}()
	<-begun
	_, jobErr := c.PeekJob(t.Context(), 1)
	_, listErr := c.ReadPartitions(t.Context())
	for _, err := range []error{jobErr, listErr} {
		if err == nil || !strings.Contains(err.Error(), "try again") {
			t.Errorf("%v while the loop connects", err)
		}
	}
	close(end)
	if err := <-observed; !errors.Is(err, errDown) || dials != 1 {
		t.Errorf("%v after %d dials", err, dials)
	}
}
