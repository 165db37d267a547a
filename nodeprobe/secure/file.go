package secure

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// fileBackedValue is a value made of files, made anew when one of them changed. It is
// safe for concurrent use.
type fileBackedValue[T any] struct {
	paths      []string
	parseFiles func() (T, error)

	mu            sync.Mutex
	modifiedTimes []time.Time
	value         T
	err           error
}

// load returns the value. While new files make no sense, the old value holds; the
// error says that there never was one.
func (f *fileBackedValue[T]) load() (T, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	times := make([]time.Time, len(f.paths))
	for i, name := range f.paths {
		if info, err := os.Stat(name); err == nil {
			times[i] = info.ModTime()
		}
	}
	if f.modifiedTimes != nil && hasSameTimes(times, f.modifiedTimes) {
		return f.value, f.err
	}
	value, err := f.parseFiles()
	if err == nil || f.modifiedTimes == nil || f.err != nil {
		f.value, f.err = value, err
	}
	f.modifiedTimes = times
	return f.value, f.err
}

func hasSameTimes(a, b []time.Time) bool {
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}

// newCachedKeyPair reads a certificate and its key.
func newCachedKeyPair(cert, key string) *fileBackedValue[*tls.Certificate] {
	return &fileBackedValue[*tls.Certificate]{paths: []string{cert, key}, parseFiles: func() (*tls.Certificate, error) {
		c, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("reading certificate %s with key %s: %w", cert, key, err)
		}
		return &c, nil
	}}
}

// newCachedAuthorities reads the certificates of who may issue others.
func newCachedAuthorities(file string) *fileBackedValue[*x509.CertPool] {
	return &fileBackedValue[*x509.CertPool]{paths: []string{file}, parseFiles: func() (*x509.CertPool, error) {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading certificates: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("reading certificates: %s has none in PEM form", file)
		}
		return pool, nil
	}}
}

// minTokenLength a token may be: one that can be guessed is none.
const minTokenLength = 16

// NewTokenReader returns what reads the token of a file.
func NewTokenReader(file string) func() (string, error) {
	f := &fileBackedValue[string]{paths: []string{file}, parseFiles: func() (string, error) {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("reading the token: %w", err)
		}
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o027 != 0 {
			return "", fmt.Errorf("the token file %s is open to others (mode %04o): chmod g-w,o-rwx %s", file, info.Mode().Perm(), file)
		}
		t := strings.TrimSpace(string(b))
		if len(t) < minTokenLength || strings.ContainsAny(t, " \t\r\n") {
			return "", errors.New("the token in " + file + " is not one word of at least 16 characters")
		}
		return t, nil
	}}
	return f.load
}
