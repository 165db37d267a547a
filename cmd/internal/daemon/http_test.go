package daemon

import (
	"context"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/settings"
)

// listener is a daemon that does nothing but listen.
func listener(address string) *daemon {
	return &daemon{System: &system.System{File: &settings.File{Listen: address}, Registry: prometheus.NewRegistry()}, log: slog.New(slog.DiscardHandler)}
}

func TestPages(t *testing.T) {
	d := listener("127.0.0.1:0")
	if err := d.serveHTTP(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/healthz": "ok\n", "/metrics": "go_goroutines "} {
		w := httptest.NewRecorder()
		d.newHandler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := (&ServiceGroup{Services: d.services, StopTimeout: time.Minute}).Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestAnAddressThatCannotBeHadNamesItsKey(t *testing.T) {
	d := listener("256.0.0.1:1")
	if err := d.serveHTTP(); err == nil || !strings.Contains(err.Error(), "(listen in the configuration)") {
		t.Errorf("%v", err)
	}
	if d := listener(""); d.serveHTTP() != nil || len(d.services) != 0 {
		t.Error("it listens nowhere, and has a service for it")
	}
}

// TestMetricsTakeFewConnections: who opens connections and says nothing does not fill the daemon's memory.
func TestMetricsTakeFewConnections(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	d := listener(address)
	if err := d.serveHTTP(); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- d.services[0].Run(ctx) }()
	closed := make(chan bool, 200)
	for range 200 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() {
			_ = c.SetReadDeadline(time.Now().Add(4 * time.Second)) // before the server's own bound on silence
			_, err := c.Read(make([]byte, 1))
			closed <- !os.IsTimeout(err)
		}()
	}
	open := 0
	for range 200 {
		if !<-closed {
			open++
		}
	}
	if open > 64 {
		t.Errorf("%d connections stay open", open)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
