package child

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"fairbridge/nodeprobe"
)

// Serve is the child's part: for every line on in it takes a sample and writes
// it as a line to out, until in ends.
func Serve(in io.Reader, out io.Writer, take func() nodeprobe.Sample) error {
	lines := bufio.NewReader(in)
	answers := json.NewEncoder(out)
	for {
		if _, err := lines.ReadString('\n'); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("waiting to be asked: %w", err)
		}
		if err := answers.Encode(take()); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
	}
}
