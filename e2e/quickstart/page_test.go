package quickstart

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// section is a part of the page between two headings of the second level.
type section struct {
	heading string
	blocks  []block
	text    string
}

// block is what stands between two fences.
type block struct{ language, text string }

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// readPage returns the sections of a page, in order.
func readPage(t *testing.T, path string) []section {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []section
	for _, part := range strings.Split("\n"+string(text), "\n## ") {
		heading, _, _ := strings.Cut(part, "\n")
		s := section{heading: strings.TrimPrefix(heading, "# "), text: part}
		for _, m := range fence.FindAllStringSubmatch(part, -1) {
			s.blocks = append(s.blocks, block{m[1], m[2]})
		}
		all = append(all, s)
	}
	return all
}
