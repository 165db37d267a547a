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
	recentLines       []string
	linesBeforeBreach []string
	lineHash          hash.Hash // of all lines; nil: none yet
}

var _ io.Writer = (*trace)(nil)

// Write takes a line of Slurm's log.
func (t *trace) Write(line []byte) (int, error) {
	if t.lineHash == nil {
		t.lineHash = sha256.New()
	}
	_, _ = t.lineHash.Write(line)
	t.recentLines = append(t.recentLines, string(line[:len(line)-1]))
	if len(t.recentLines) > 400 {
		t.recentLines = append(t.recentLines[:0], t.recentLines[200:]...)
	}
	return len(line), nil
}

func (t *trace) addLine(format string, a ...any) {
	_, _ = t.Write([]byte("    -- " + fmt.Sprintf(format, a...) + "\n"))
}

func (t *trace) digest() string {
	if t.lineHash == nil {
		return ""
	}
	return hex.EncodeToString(t.lineHash.Sum(nil))
}

// keepLinesBeforeBreach keeps the lines that led to the first breach.
func (t *trace) keepLinesBeforeBreach() {
	if t.linesBeforeBreach == nil {
		t.linesBeforeBreach = append([]string{}, t.recentLines[max(0, len(t.recentLines)-120):]...)
	}
}
