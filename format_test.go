package fairbridge_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
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

// The file wideList says how many lines of each Go file are wider than mostColumns. A tab takes
// tabColumns. The numbers may only fall.
const (
	mostColumns   = 120
	tabColumns    = 4
	wideList      = "testdata/wide_lines.tsv"
	shrinkCommand = "go test -run TestWideLines . -args -shrink"
)

var shrink = flag.Bool("shrink", false, "lower the numbers in "+wideList+" to those of the tree")

// TestWideLines compares the wide lines of each file with the list. A count can move from one
// file to another, as its lines can, but their sum cannot rise.
func TestWideLines(t *testing.T) {
	wide, sum := map[string][]int{}, 0
	for _, f := range tree(t) {
		if lines := f.wideLines(); len(lines) > 0 {
			wide[f.path] = lines
			sum += len(lines)
		}
	}
	allowed, mostWide := readWideList(t)
	switch {
	case *shrink && sum > mostWide:
		t.Errorf("%s is not changed: it allows %d wide lines, the tree has %d", wideList, mostWide, sum)
	case *shrink:
		writeWideList(t, wide)
		return
	}
	for path, lines := range wide {
		if n := allowed[path]; len(lines) > n {
			t.Errorf("%s:%d is wider than %d columns: break the line. The file has %d such lines, %s allows %d. "+
				"If the lines came from another file, move their count: %s",
				path, lines[0], mostColumns, len(lines), wideList, n, shrinkCommand)
		}
	}
	for path, n := range allowed {
		if have := len(wide[path]); have < n {
			t.Errorf("%s has only %d wide lines, %s allows %d: run %s", path, have, wideList, n, shrinkCommand)
		}
	}
}

// readWideList returns the numbers of the list and their sum.
func readWideList(t *testing.T) (allowed map[string]int, sum int) {
	text, err := os.ReadFile(wideList)
	if err != nil {
		t.Fatal(err)
	}
	allowed = map[string]int{}
	for line := range strings.Lines(string(text)) {
		path, count, _ := strings.Cut(strings.TrimSpace(line), "\t")
		n, err := strconv.Atoi(count)
		if err != nil {
			t.Fatalf("%s: %q: %v", wideList, line, err)
		}
		allowed[path] = n
		sum += n
	}
	return allowed, sum
}

func writeWideList(t *testing.T, wide map[string][]int) {
	var text []byte
	for _, path := range slices.Sorted(maps.Keys(wide)) {
		text = fmt.Appendf(text, "%s\t%d\n", path, len(wide[path]))
	}
	if err := os.WriteFile(wideList, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// fixedComment matches a directive of Go and a comment of one word, such as a URL.
var fixedComment = regexp.MustCompile(`^\s*//(go:|\s*\S+\s*$)`)

// wideLines returns the numbers of the lines that are too wide and can be broken.
func (f source) wideLines() []int {
	if f.generated() {
		return nil
	}
	var wide []int
	lines, fixed := strings.Split(string(f.text), "\n"), map[int]bool(nil)
	for i, line := range lines {
		columns := utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
		if columns <= mostColumns || fixedComment.MatchString(line) {
			continue
		}
		if fixed == nil {
			fixed = f.fixedLines(lines)
		}
		if !fixed[i+1] {
			wide = append(wide, i+1)
		}
	}
	return wide
}

var wordOfCode = regexp.MustCompile(`\w`)

// fixedLines returns the lines of code that gofmt does not let you break: imports, tags of fields,
// raw strings of several lines, and lines of one string and punctuation.
func (f source) fixedLines(lines []string) map[int]bool {
	fixed := map[int]bool{}
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			fixed[f.line(n.Pos())] = true
		case *ast.Field:
			if n.Tag != nil {
				fixed[f.line(n.Tag.Pos())] = true
			}
		case *ast.BasicLit:
			first, last := f.line(n.Pos()), f.line(n.End())
			isAlone := !wordOfCode.MatchString(strings.Replace(lines[first-1], n.Value, "", 1))
			for i := first; i <= last && (isAlone || last > first); i++ {
				fixed[i] = true
			}
		}
		return true
	})
	return fixed
}
