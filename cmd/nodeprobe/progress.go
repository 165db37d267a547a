package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/owner"
	"fairbridge/nodeprobe/progress"
)

// serveProgress takes jobs' reports of their progress until the context ends. Without
// --progress it is an empty one.
func (o *options) serveProgress(ctx context.Context, running *sync.WaitGroup, failed chan<- error) (*progress.Inbox, error) {
	d := progress.NewInbox(time.Now)
	if o.progressSocket == "" {
		return d, nil
	}
	flag := "--progress " + o.progressSocket
	l, err := listenUnix(flag, o.progressSocket)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(o.progressSocket, 0o666); err != nil { // every user's jobs report
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	s := progress.Server{Inbox: d, JobOfProcess: findJobOfProcess}
	running.Go(func() {
		if err := s.Serve(ctx, l); err != nil {
			failed <- err
		}
	})
	return d, nil
}

// findJobOfProcess returns the job of a process that is there now.
func findJobOfProcess(pid int) nodeprobe.ProcessJob {
	return owner.JobFinder{ProcDir: "/proc"}.BeginLookup().JobOfProcess(pid)
}
