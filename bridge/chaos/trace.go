package chaos

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// trace keeps the last lines of what happened. The first breach stops it.
type trace struct {
	lines []string
	last  []string
	sum   hash.Hash // of all lines; nil: none yet
}

var _ io.Writer = (*trace)(nil)

// Write takes a line of Slurm's log.
func (t *trace) Write(line []byte) (int, error) {
	if t.sum == nil {
		t.sum = sha256.New()
	}
	_, _ = t.sum.Write(line)
	t.lines = append(t.lines, string(line[:len(line)-1]))
	if len(t.lines) > 400 {
		t.lines = append(t.lines[:0], t.lines[200:]...)
	}
	return len(line), nil
}

func (t *trace) addLine(format string, a ...any) {
	_, _ = t.Write([]byte("    -- " + fmt.Sprintf(format, a...) + "\n"))
}

func (t *trace) digest() string {
	if t.sum == nil {
		return ""
	}
	return hex.EncodeToString(t.sum.Sum(nil))
}

// freeze keeps the lines that led to the first breach.
func (t *trace) freeze() {
	if t.last == nil {
		t.last = append([]string{}, t.lines[max(0, len(t.lines)-120):]...)
	}
}
