package recording

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
)

//go:embed demo.json.gz
var demo []byte

// Demo returns the recording that is part of the program: some time of a day on a simulated Slurm.
func Demo() (*Recording, error) {
	r, err := gzip.NewReader(bytes.NewReader(demo))
	if err != nil {
		return nil, fmt.Errorf("unpacking the recording of the demonstration: %w", err)
	}
	return Read(r)
}
