package value

import (
	"bytes"
	"compress/gzip"
	"io"
)

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
