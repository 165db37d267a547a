package fairbridge_test

import (
	"bytes"
	"go/format"
	"slices"
	"sync"
	"testing"
)

// TestFormat wants every file as gofmt writes it.
func TestFormat(t *testing.T) {
	var checks sync.WaitGroup
	for files := range slices.Chunk(tree(t), 100) {
		checks.Go(func() {
			for _, f := range files {
				if formatted, err := format.Source(f.text); err != nil || !bytes.Equal(f.text, formatted) {
					t.Errorf("%s is not as gofmt would write it (%v): gofmt -w %[1]s", f.path, err)
				}
			}
		})
	}
	checks.Wait()
}
