package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fairbridge/cmd/internal/pseudonym"
)

// Bounds of what is read of a log and of metrics.
const (
	maxLogLines   = 5000
	maxReplyBytes = 16 << 20
)

// readLog returns the last lines of the daemon in systemd's journal, each by its fields.
func readLog(ctx context.Context, since time.Time) (any, error) {
	c := exec.CommandContext(ctx, "journalctl", "--unit=fairbridge", "--since=@"+strconv.FormatInt(since.Unix(), 10), "--lines="+strconv.Itoa(maxLogLines), "--output=cat", "--quiet", "--no-pager")
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("running journalctl: %w", err)
	}
	lines := []any{}
	for line := range strings.Lines(string(text)) {
		lines = append(lines, parseLogLine(strings.TrimSpace(line)))
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("the journal of this host has no line of unit fairbridge since then, or %w", errNotReadable)
	}
	return lines, nil
}

var logField = regexp.MustCompile(`([\w.]+)=("(?:[^"\\]|\\.)*"|\S*)`)

// parseLogLine parts a line of slog, as text or JSON, into fields; another line is one field.
func parseLogLine(line string) map[string]any {
	d, fields := json.NewDecoder(strings.NewReader(line)), map[string]any{}
	d.UseNumber()
	if d.Decode(&fields) == nil {
		return fields
	}
	fields = map[string]any{}
	if !strings.HasPrefix(line, "time=") {
		return map[string]any{"text": line}
	}
	for _, m := range logField.FindAllStringSubmatch(line, -1) {
		fields[m[1]] = logValue(m[1], m[2])
	}
	return fields
}

// logValue is the value of a field: a number, as slog writes it in JSON, where the key is none of names.
func logValue(key, text string) any {
	if plain, err := strconv.Unquote(text); err == nil && text[0] == '"' {
		return plain
	}
	if pseudonym.HoldsNames(key) {
		return text
	}
	return measured(text)
}

var (
	metricLine  = regexp.MustCompile(`^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([^ \n]+)`)
	metricLabel = regexp.MustCompile(`([\w]+)="((?:[^"\\]|\\.)*)"`)
)

// readMetrics asks the daemon for its metrics.
func readMetrics(ctx context.Context, listen string) (any, error) {
	if listen == "" {
		return nil, fmt.Errorf("the configuration serves no metrics: listen is empty")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listen+"/metrics", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("asking for metrics: %w", err)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("asking the daemon for metrics: %w", err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxReplyBytes))
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", reply.StatusCode)
	}
	if err != nil {
		return nil, fmt.Errorf("asking the daemon for metrics: %w", err)
	}
	return parseMetrics(text), nil
}

func parseMetrics(text []byte) any {
	list := []any{}
	for line := range bytes.Lines(text) {
		m := metricLine.FindSubmatch(line)
		if m == nil {
			continue // comments
		}
		labels := map[string]any{}
		for _, l := range metricLabel.FindAllSubmatch(m[2], -1) {
			labels[string(l[1])] = string(l[2])
		}
		list = append(list, map[string]any{"metric": string(m[1]), "labels": labels, "is": measured(string(m[3]))})
	}
	return list
}

// plainNumber is a number as JSON writes it.
var plainNumber = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$`)

// measured is what a text measures; one that is no number for JSON, as NaN and +Inf, stays a text.
func measured(text string) any {
	if plainNumber.MatchString(text) {
		return json.Number(text)
	}
	return text
}
