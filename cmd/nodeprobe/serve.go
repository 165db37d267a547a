package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"fairbridge/api/listen"
	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/owner"
	"fairbridge/nodeprobe/progress"
	"fairbridge/nodeprobe/secure"
	"fairbridge/nodeprobe/serve"
)

// stopTimeout is how long requests under way and the reader may take to end.
const stopTimeout = 5 * time.Second

// serve samples and serves until the context ends.
func (o *options) serve(ctx context.Context, errs io.Writer) error {
	log := slog.New(slog.NewTextHandler(errs, nil))
	reader, err := o.newChildReader()
	if err != nil {
		return err
	}
	l, err := o.listenSocket()
	if err != nil {
		return err
	}
	if l, err = o.wrapInTLS(listen.LimitConns(l, listen.FewConnLimits())); err != nil {
		return err
	}
	sampler := serve.NewSampler(o.nodeName, reader, log, time.Now)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 2)
	var sampling sync.WaitGroup
	defer sampling.Wait()
	inbox, err := o.serveProgress(ctx, &sampling, failed)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	sampler.Reports = inbox.NewestReports
	metrics := newRegistry(serve.NewCollector(sampler, reader.StartCount, inbox.TakenReportCount))
	server := listen.NewHTTPServer(o.requireToken(serve.NewHandler(sampler, metrics)), nil, log)
	sampling.Go(func() { sampler.Run(ctx, o.interval, notifySystemd(sampler)) })
	go func() { failed <- server.Serve(l) }()
	log.Info("serving", "address", l.Addr().String(), "node", o.nodeName, "interval", o.interval)
	_, _ = daemon.SdNotify(false, daemon.SdNotifyReady)
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	_, _ = daemon.SdNotify(false, daemon.SdNotifyStopping)
	cancel()
	sampling.Wait()
	return errors.Join(err, shutDownServer(server), reader.Close(stopTimeout))
}

// notifySystemd tells systemd that sampling goes on, and how it stands.
func notifySystemd(k *serve.Sampler) func() {
	return func() {
		status := "sampling"
		if why := k.Sample().Error; why != "" {
			status = why
		}
		_, _ = daemon.SdNotify(false, daemon.SdNotifyWatchdog+"\nSTATUS="+strings.ReplaceAll(status, "\n", " "))
	}
}

// shutDownServer finishes the requests under way.
func shutDownServer(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return fmt.Errorf("finishing requests: %w", err)
	}
	return nil
}

// listenSocket listens. A socket file left by a probe that was killed is replaced; one
// that answers is not.
func (o *options) listenSocket() (net.Listener, error) {
	if path, ok := strings.CutPrefix(o.listenAddress, "unix:"); ok {
		return listenUnix("--listen "+o.listenAddress, path)
	}
	return listenOn("--listen "+o.listenAddress, "tcp", o.listenAddress)
}

func listenUnix(flag, path string) (net.Listener, error) {
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		_ = c.Close()
		return nil, fmt.Errorf("%s: another probe serves there", flag)
	}
	if at, err := os.Lstat(path); err == nil && at.Mode()&os.ModeSocket != 0 {
		_ = os.Remove(path) // if it stays, listening says why
	}
	return listenOn(flag, "unix", path)
}

func listenOn(flag, network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return l, nil
}

func newRegistry(c prometheus.Collector) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(c, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewGoCollector())
	return r
}

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

// wrapInTLS makes https of what is listened to, if that is asked for. A token
// that cannot be read is told here, before anybody is turned away.
func (o *options) wrapInTLS(l net.Listener) (net.Listener, error) {
	if o.tokenFile != "" {
		if _, err := secure.NewTokenReader(o.tokenFile)(); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	if o.certFile == "" {
		return l, nil
	}
	c, err := secure.NewServerTLS(o.certFile, o.keyFile, o.clientCAFile)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return tls.NewListener(l, c), nil
}

// requireToken turns away who does not have the token, if there is one.
func (o *options) requireToken(h http.Handler) http.Handler {
	if o.tokenFile == "" {
		return h
	}
	return secure.RequireToken(h, secure.NewTokenReader(o.tokenFile))
}
