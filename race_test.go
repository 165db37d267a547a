package fairbridge_test

import (
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"
)

// racelessTests returns the names of the tests that make race leaves out.
func racelessTests(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "\nRACELESS = ")
	line, _, _ := strings.Cut(after, "\n")
	if !found || !strings.Contains(string(text), `grep -v -e '^fairbridge/policy' -e '^fairbridge/lab/reproduce' -e '^fairbridge/lab/golden'`) {
		t.Fatal("make race leaves out something else by now: this test is about what it left out")
	}
	return strings.Split(line, "|")
}

// neverShort are the folders whose slow tests wait for real Slurms, on other releases or none: make race
// never played them.
var neverShort = []string{"e2e/...", "cmd/fairbridge-demo/...", "packaging/..."}

// concurrency names what of a node runs beside something else; "": nothing.
func concurrency(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a goroutine"
	case *ast.SelectorExpr:
		if slices.Contains([]string{"Parallel", "Go", "WaitGroup"}, n.Sel.Name) {
			return n.Sel.Name
		}
	}
	return ""
}

// TestRaceLeavesOutWhatRunsAlone: make race leaves out the tests of policies, reproductions, golden figures
// and some that play long days; and a test that is left to a part of make verify, which is none of the
// race's, is skipped in it. Nothing in them may run beside anything, or its races would never be looked for.
func TestRaceLeavesOutWhatRunsAlone(t *testing.T) {
	declared := map[string]int{}
	check := func(f source, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if what := concurrency(n); what != "" {
				t.Errorf("%s: %s in a test that make race leaves out", f.at(n), what)
			}
			return true
		})
	}
	left := racelessTests(t)
	for _, f := range tree(t) {
		if f.test && match([]string{"policy/...", "lab/reproduce/...", "lab/golden/..."}, f.folder) {
			check(f, f.file)
		}
		for _, d := range f.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !f.test {
				continue
			}
			if slices.Contains(left, fn.Name.Name) {
				declared[fn.Name.Name]++
				check(f, fn)
			} else if len(partsNamed(fn, "Only")) > 0 && !match(neverShort, f.folder) {
				check(f, fn)
			}
		}
	}
	for _, name := range left {
		if declared[name] != 1 {
			t.Errorf("make race leaves out %s, of which there are %d", name, declared[name])
		}
	}
}
