package main

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"

	"fairbridge/nodeprobe/secure"
)

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
