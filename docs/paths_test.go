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

// aboutTheCode are the pages that name files and packages of ours. Not among them are
// decisions, which stay as they are when names change, and pages that name others'.
var aboutTheCode = []string{
	"../README.md", "../CONTRIBUTING.md", "../SECURITY.md", "architecture.md", "evaluation.md", "glossary.md", "managers.md",
	"nodeprobe.md", "policy-authors.md", "predictor.md", "reports.md", "researchers.md", "safety.md", "simulation.md", "status.md",
	"testing.md",
}

// TestPathsExist wants every file and package that those pages name to be there, by the
// end of its path: `gate/plan.go` is bridge/gate/plan.go.
func TestPathsExist(t *testing.T) {
	there := paths(t)
	path := regexp.MustCompile("`((?:[a-z0-9.-]+/)*[a-z0-9_]+\\.(?:go|md|sh)|[a-z0-9]+(?:/[a-z0-9]+)+)`")
	checked := 0
	for _, p := range pages(t) {
		if !slices.Contains(aboutTheCode, p.path) {
			continue
		}
		for _, m := range path.FindAllStringSubmatch(p.prose(), -1) {
			checked++
			if !slices.ContainsFunc(there, func(x string) bool { return strings.HasSuffix(x, "/"+m[1]) }) {
				t.Errorf("%s names %s, which is not there", p.path, m[1])
			}
		}
	}
	if checked < 50 {
		t.Errorf("checked only %d: the search is broken", checked)
	}
}

// paths are all files and folders of the tree.
func paths(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		all = append(all, "/"+filepath.ToSlash(path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestNamesExist wants every name of Go that those pages use to stand in the code.
func TestNamesExist(t *testing.T) {
	var code strings.Builder
	for _, path := range paths(t) {
		if strings.HasSuffix(path, ".go") {
			text, err := os.ReadFile(path[1:])
			if err != nil {
				t.Fatal(err)
			}
			code.Write(text)
		}
	}
	declared := map[string]bool{}
	for _, word := range regexp.MustCompile(`[A-Za-z]+`).FindAllString(code.String(), -1) {
		declared[word] = true
	}
	name := regexp.MustCompile("`(?:[A-Za-z]+\\.)*([A-Z][a-z]+[A-Za-z]*|[a-z]+[A-Z][A-Za-z]*)`")
	checked := 0
	for _, p := range pages(t) {
		for _, m := range name.FindAllStringSubmatch(p.prose(), -1) {
			if checked++; slices.Contains(aboutTheCode, p.path) && !declared[m[1]] {
				t.Errorf("%s names %s, which the code does not know", p.path, m[1])
			}
		}
	}
	if checked < 40 {
		t.Errorf("checked only %d: the search is broken", checked)
	}
}
