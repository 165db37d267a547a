package daemon

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"
)

// Service is a part of the daemon that works beside the others.
type Service struct {
	Name string
	// Run works until its context ends, and leaves nothing of it running. When it
	// returns earlier, with or without an error, all services are ended.
	Run func(context.Context) error
}

// ServiceGroup is services that begin in order and end in the opposite one, each when all
// that began after it have ended.
type ServiceGroup struct {
	Services    []Service
	StopTimeout time.Duration // for one service to end
}

// runningService is a service at work.
type runningService struct {
	Service
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid when done
}

// Run begins all services, waits until the context ends or one of them does, and
// ends all. The error joins those of services that failed, panicked, or did not end
// in time; it names each.
func (g *ServiceGroup) Run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var tasks []*runningService
	for _, s := range g.Services {
		own, stop := context.WithCancel(context.WithoutCancel(ctx))
		t := &runningService{Service: s, cancel: stop, done: make(chan struct{})}
		tasks = append(tasks, t)
		go func() {
			defer end()
			defer close(t.done)
			t.err = t.run(own)
		}()
	}
	<-ctx.Done()
	var errs []error
	for _, t := range slices.Backward(tasks) {
		t.cancel()
		errs = append(errs, t.wait(g.StopTimeout))
	}
	return errors.Join(errs...)
}

// run returns what became of the service; a panic is an error.
func (t *runningService) run(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return t.Run(ctx)
}

// wait returns the error of a service that ends, and one for a service that does
// not.
func (t *runningService) wait(patience time.Duration) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-t.done:
	case <-timer.C:
		return fmt.Errorf("%s did not end within %v", t.Name, patience)
	}
	if t.err != nil {
		return fmt.Errorf("%s: %w", t.Name, t.err)
	}
	return nil
}
