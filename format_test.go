package fairbridge_test

import (
	"bytes"
	"go/format"
	"os"
	"testing"
)

// TestFormat wants every file as gofmt writes it.
func TestFormat(t *testing.T) {
	for _, f := range tree(t) {
		text, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		if formatted, err := format.Source(text); err != nil || !bytes.Equal(text, formatted) {
			t.Errorf("%s is not as gofmt would write it (%v): gofmt -w %[1]s", f.path, err)
		}
	}
}
