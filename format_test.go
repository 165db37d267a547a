package fairbridge_test

import (
	"bytes"
	"go/format"
	"testing"
)

// TestFormat wants every file as gofmt writes it.
func TestFormat(t *testing.T) {
	files := tree(t)
	concurrently(len(files), func(i int) {
		f := files[i]
		if formatted, err := format.Source(f.text); err != nil || !bytes.Equal(f.text, formatted) {
			t.Errorf("%s is not as gofmt would write it (%v): gofmt -w %[1]s", f.path, err)
		}
	})
}
