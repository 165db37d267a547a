package main

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"

	"fairbridge/nodeprobe/secure"
)

// withTLS makes https of what is listened to, if that is asked for. A token
// that cannot be read is told here, before anybody is turned away.
func (o *options) withTLS(l net.Listener) (net.Listener, error) {
	if o.token != "" {
		if _, err := secure.CachedToken(o.token)(); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	if o.cert == "" {
		return l, nil
	}
	c, err := secure.ServerConfig(o.cert, o.key, o.clientCA)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return tls.NewListener(l, c), nil
}

// withToken turns away who does not have the token, if there is one.
func (o *options) withToken(h http.Handler) http.Handler {
	if o.token == "" {
		return h
	}
	return secure.RequireToken(h, secure.CachedToken(o.token))
}
