package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"fairbridge/api/identity"
	"fairbridge/api/listen"
	"fairbridge/api/page"
	"fairbridge/api/server"
	"fairbridge/cmd/internal/system"
)

// serveAPI answers the API on a unix socket and over TLS, as far as the configuration says. It
// listens at once, so that a wrong address ends the daemon before it began. A daemon that stands
// by answers too.
func (d *daemon) serveAPI() error {
	path := d.File.API.SocketPath()
	if path == "" && d.File.API.Listen == "" {
		return nil
	}
	names := NewNames(d.File.API.Listen, d.File.API.URL)
	who, err := system.NewIdentifier(d.File, names, d.log)
	if err != nil {
		return fmt.Errorf("telling who asks (api in the configuration): %w", err)
	}
	if d.answersDB, err = system.OpenAnswersDB(context.Background(), d.File); err != nil {
		return fmt.Errorf("opening the database for answers to users: %w", err)
	}
	d.addCloser("answers' database", d.answersDB.Close)
	d.answers = d.NewAnswers(d.answersDB, who.PrivacyNow)
	handler := server.NewHandler(server.Config{
		Answers: d.answers, Private: who.PrivacyNow, Identity: who, Links: who, Actions: d.NewActions(),
		Limits: d.File.API.ServerLimits(), Metrics: server.NewMetrics(d.Registry), Log: d.log,
	})
	top := page.Mount(handler, page.NewOverAPI(handler, page.Config{Log: d.log}))
	d.addService("identity", func(ctx context.Context) error {
		who.Run(ctx)
		<-ctx.Done()
		return nil
	})
	if err = d.serveSocket(path, top, who); err == nil {
		err = d.serveTLS(top, who, names)
	}
	if err != nil {
		d.answersDB.Close() // the daemon does not begin
	}
	return err
}

// serveSocket answers on a unix socket that every user of this host may open: the kernel tells
// who they are.
func (d *daemon) serveSocket(path string, h http.Handler, who *identity.Identifier) error {
	if path == "" {
		return nil
	}
	l, err := Listen(path)
	if err != nil {
		return fmt.Errorf("listening for users on %s (api.socket in the configuration): %w", path, err)
	}
	d.addHTTPService("api socket", listen.LimitConns(l, listen.DefaultConnLimits(listen.KeyByUser)), h, who)
	return nil
}

// serveTLS answers on a port, where a credential, a cookie or a proxy tells who asks. The names in
// its certificate are the daemon's.
func (d *daemon) serveTLS(h http.Handler, who *identity.Identifier, names *Names) error {
	a := &d.File.API
	if a.Listen == "" {
		return nil
	}
	certificate, err := NewCertificate(a.CertFile, a.KeyFile, d.log)
	if err != nil {
		return fmt.Errorf("the certificate of the API (api.cert_file and api.key_file in the configuration): %w", err)
	}
	names.Use(certificate)
	l, err := net.Listen("tcp", a.Listen)
	if err != nil {
		return fmt.Errorf("listening for users on %s (api.listen in the configuration): %w", a.Listen, err)
	}
	limited := listen.LimitConns(l, listen.DefaultConnLimits(listen.KeyByAddress))
	d.addHTTPService("api", tls.NewListener(limited, certificate.Config()), h, who)
	return nil
}

// apiEndTime is how long requests under way have when the daemon ends.
const apiEndTime = 5 * time.Second

// addHTTPService adds a service that answers on a listener. When that fails later it is logged:
// cycles matter more.
func (d *daemon) addHTTPService(name string, l net.Listener, h http.Handler, who *identity.Identifier) {
	s := listen.NewHTTPServer(h, who.ConnContext, d.log)
	d.addService(name, func(ctx context.Context) error {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			<-ctx.Done()
			left, end := context.WithTimeout(context.WithoutCancel(ctx), apiEndTime)
			defer end()
			if s.Shutdown(left) != nil {
				_ = s.Close()
			}
		}()
		d.log.Info("users are answered", "on", l.Addr())
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			d.log.Error("users are no longer answered", "on", l.Addr(), "error", err)
		}
		<-ended // cycles matter more
		return nil
	})
}
