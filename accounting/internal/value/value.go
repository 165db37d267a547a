// Package value turns values of Go into ones that Postgres takes, and back.
package value

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"time"
)

// NullIfZero stores the zero time as null.
func NullIfZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// TimeOrZero reads null as the zero time, everything else in UTC.
func TimeOrZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// ValidText makes a text one that Postgres takes: valid UTF-8 without NUL.
func ValidText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// Rows travel to Postgres by column, as arrays: one statement, one round trip.

// ColumnOf is one value of each row.
func ColumnOf[R, V any](rows []R, of func(*R) V) []V {
	out := make([]V, len(rows))
	for i := range rows {
		out[i] = of(&rows[i])
	}
	return out
}

// Gzip compresses lightly: a cycle should not wait for it. Nothing stays nothing.
func Gzip(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	_, _ = w.Write(b) // a bytes.Buffer does not fail
	_ = w.Close()
	return out.Bytes()
}

// Gunzip is the text that Gzip compressed.
func Gunzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
