package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"fairbridge/api/listen"
)

// serveHTTP offers metrics and health over HTTP. It listens at once, so that a
// wrong address ends the daemon before it began.
func (d *daemon) serveHTTP() error {
	if d.File.Listen == "" {
		return nil
	}
	d.Registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	l, err := net.Listen("tcp", d.File.Listen)
	if err != nil {
		return fmt.Errorf("listening for metrics on %s (listen in the configuration): %w", d.File.Listen, err)
	}
	l = listen.LimitConns(l, listen.FewConnLimits())
	d.addService("http", func(ctx context.Context) error {
		server := listen.NewHTTPServer(d.newHandler(), nil, d.log)
		defer context.AfterFunc(ctx, func() { _ = server.Close() })()
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			d.log.Error("metrics are no longer served", "error", err)
			<-ctx.Done() // cycles matter more
		}
		return nil
	})
	return nil
}

// newHandler serves every page of the daemon.
func (d *daemon) newHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(d.Registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return mux
}
