package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGlossary wants every term once, in the order of the alphabet within its table,
// with a meaning and a source, and used somewhere: a word that nobody meets needs no
// explanation.
func TestGlossary(t *testing.T) {
	text, err := os.ReadFile("glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	used := written(t)
	line := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)
	seen := map[string]bool{}
	for _, table := range strings.Split(string(text), "\n## ")[1:] {
		var terms []string
		for _, cells := range line.FindAllStringSubmatch(table, -1) {
			if term := strings.ToLower(cells[1]); term != "term" {
				terms = append(terms, term)
			}
		}
		if len(terms) < 10 {
			t.Errorf("found only %v: the search is broken", terms)
		}
		if !slices.IsSorted(terms) {
			t.Errorf("not in the order of the alphabet: %v", terms)
		}
		for _, term := range terms {
			if word, _, _ := strings.Cut(term, " ("); !strings.Contains(used, joined.Replace(word)) {
				t.Errorf("%s is used nowhere", term)
			}
			if seen[term] {
				t.Errorf("%s stands there twice", term)
			}
			seen[term] = true
		}
	}
}

// joined writes "finish-time fairness" as code may: finishTimeFairness, finish_time.
var joined = strings.NewReplacer(" ", "", "-", "", "_", "")

// written is everything that a reader meets, in small letters and joined: the code, its
// comments and the pages but for the glossary.
func written(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() != ".." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".md" || strings.HasPrefix(d.Name(), "glossary") {
			return nil
		}
		text, err := os.ReadFile(path)
		all.WriteString(joined.Replace(strings.ToLower(string(text))))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
