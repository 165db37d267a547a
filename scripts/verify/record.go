package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The records, which are committed: which commit each part was last green on, which tests were repeated, and the page
// that shows both.
const (
	verifiedFile = "docs/verified.tsv"
	repeatsFile  = "docs/repeats.tsv"
	statusFile   = "docs/status.md"
)

// columns are the headings of the files of rows.
var columns = map[string][]string{
	verifiedFile: {"part", "commit", "date", "seconds"},
	repeatsFile:  {"date", "commit", "test"},
}

// readRows returns the rows of a file, without its heading. A file that is not there has none.
func (v verifier) readRows(file string) (rows [][]string, err error) {
	text, err := os.ReadFile(filepath.Join(v.root, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != len(columns[file]) {
			return nil, fmt.Errorf(
				"reading %s: line %d has %d columns, want %v; restore it by git checkout %s",
				file,
				i+1,
				len(cells),
				columns[file],
				file,
			)
		}
		rows = append(rows, cells)
	}
	return rows[1:], nil
}

// writeRows replaces a file by rows under its heading, and the page that shows them.
func (v verifier) writeRows(file string, rows [][]string) error {
	var text strings.Builder
	for _, cells := range slices.Concat([][]string{columns[file]}, rows) {
		text.WriteString(strings.Join(cells, "\t") + "\n")
	}
	if err := v.replace(file, text.String()); err != nil {
		return err
	}
	return v.writeStatus()
}

// replace writes a whole file or, where that fails, nothing.
func (v verifier) replace(file, text string) error {
	name := filepath.Join(v.root, file)
	err := os.WriteFile(name+".new", []byte(text), 0o644)
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

// lastGreen returns the row of a part, nil if it never was green.
func lastGreen(verified [][]string, name string) []string {
	i := slices.IndexFunc(verified, func(cells []string) bool { return cells[0] == name })
	if i < 0 {
		return nil
	}
	return verified[i]
}

// record keeps that a part was green at a commit.
func (v verifier) record(name, commit string, seconds int) error {
	rows, err := v.readRows(verifiedFile)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(cells []string) bool { return cells[0] == name })
	rows = append(rows, []string{name, commit, today(), strconv.Itoa(seconds)})
	slices.SortFunc(rows, slices.Compare)
	return v.writeRows(verifiedFile, rows)
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

// repeated matches a line of gotestsum's report.
var repeated = regexp.MustCompile(`(?m)^(\S+): (\d+ runs, \d+ failures)$`)

// keepRepeats says and keeps which tests gotestsum repeated. Where none were there is no report, or an empty one.
func (v verifier) keepRepeats(report string) error {
	text, err := os.ReadFile(report)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading which tests were repeated: %w", err)
	}
	commit, _, err := v.state()
	if err != nil {
		return err
	}
	rows, err := v.readRows(repeatsFile)
	if err != nil {
		return err
	}
	for _, m := range repeated.FindAllStringSubmatch(string(text), -1) {
		v.sayf("repeated: %s: %s", m[1], m[2])
		rows = append(rows, []string{today(), commit, m[1]})
	}
	return v.writeRows(repeatsFile, rows)
}
