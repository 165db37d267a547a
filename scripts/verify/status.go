package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The section of the status page that is written here stands between these.
const (
	sectionBegin = "<!-- written by scripts/verify from docs/verified.tsv and docs/repeats.tsv -->\n"
	sectionEnd   = "<!-- end of what scripts/verify writes -->\n"
)

// mostRepeats is the number of repeated tests that the page shows.
const mostRepeats = 20

// writeStatus brings the section of the status page up to the files.
func (v verifier) writeStatus() error {
	text, err := os.ReadFile(filepath.Join(v.root, statusFile))
	if err != nil {
		return fmt.Errorf("reading %s: %w", statusFile, err)
	}
	before, rest, begins := strings.Cut(string(text), sectionBegin)
	_, after, ends := strings.Cut(rest, sectionEnd)
	if !begins || !ends {
		return fmt.Errorf(
			"writing %s: it lacks the lines %q and %q; put them where the table of parts belongs",
			statusFile,
			sectionBegin,
			sectionEnd,
		)
	}
	section, err := v.section()
	if err != nil {
		return err
	}
	return v.replace(statusFile, before+sectionBegin+section+sectionEnd+after)
}

// section returns what the page says of parts and repeated tests.
func (v verifier) section() (string, error) {
	verified, err := v.readRows(verifiedFile)
	if err != nil {
		return "", err
	}
	repeats, err := v.readRows(repeatsFile)
	if err != nil {
		return "", err
	}
	slices.Reverse(repeats)
	repeats = repeats[:min(len(repeats), mostRepeats)]
	return "\n## When each part of make verify was last green\n\n" + markdown(columns[verifiedFile], verified) +
		"\n## End-to-end tests that were repeated\n\n" + markdown(columns[repeatsFile], repeats) + "\n", nil
}

// markdown returns rows as a table, commits by their first letters.
func markdown(headings []string, rows [][]string) string {
	if len(rows) == 0 {
		return "None yet.\n"
	}
	var text strings.Builder
	for _, cells := range slices.Concat([][]string{headings, slices.Repeat([]string{"---"}, len(headings))}, rows) {
		for i, cell := range cells {
			if headings[i] == "commit" {
				cell = fmt.Sprintf("%.8s", cell)
			}
			text.WriteString("| " + cell + " ")
		}
		text.WriteString("|\n")
	}
	return text.String()
}

// list prints the parts, or only those that are stale, and when each was last green.
func (v verifier) list(staleOnly bool) error {
	rows, err := v.readRows(verifiedFile)
	for _, p := range v.parts {
		words, stale := v.age(lastGreen(rows, p.Name))
		if stale {
			words = "STALE: " + words
		}
		if stale || !staleOnly {
			v.sayf("%-22s %s: %s", p.Name, words, p.About)
		}
	}
	return err
}
