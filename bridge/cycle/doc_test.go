package cycle

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheListIsTheCode compares the list of statements in the package comment
// with the calls of the three functions that it tells of.
func TestTheListIsTheCode(t *testing.T) {
	cycle, inner := listed(t)
	got := without(called(t, "cycle.go", "runCycle", "l"), "newCycleState")
	if d := cmp.Diff(cycle, got); d != "" {
		t.Errorf("the package comment (-) and func runCycle (+) differ:\n%s", d)
	}
	if d := cmp.Diff(inner["learnFacts"], called(t, "cycle.go", "learnFacts", "l")); d != "" {
		t.Errorf("the package comment (-) and func learnFacts (+) differ:\n%s", d)
	}
	got = without(called(t, "evaluate.go", "evaluatePartition", "s", "g"), "newStepTimer", "policyTimeLimit",
		"isIdleAgain")
	if d := cmp.Diff(inner["evaluatePartitions"], got); d != "" {
		t.Errorf("the package comment (-) and func evaluatePartition (+) differ:\n%s", d)
	}
}

// listed returns the first words of the list's lines, and of those set further in by the line above them.
func listed(t *testing.T) (outer []string, inner map[string][]string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	inner = map[string][]string{}
	for line := range strings.Lines(f.Doc.Text()) {
		switch words := strings.Fields(line); {
		case strings.HasPrefix(line, "\t  "):
			over := outer[len(outer)-1]
			inner[over] = append(inner[over], words[0])
		case strings.HasPrefix(line, "\t"):
			outer = append(outer, words[0])
		}
	}
	return outer, inner
}

// called returns the methods that the last function of the name calls on the
// variables, in order.
func called(t *testing.T, file, name string, on ...string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != name {
			continue
		}
		calls = nil
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if m, ok := c.Fun.(*ast.SelectorExpr); ok {
					if x, ok := m.X.(*ast.Ident); ok && slices.Contains(on, x.Name) {
						calls = append(calls, m.Sel.Name)
					}
				}
			}
			return true
		})
	}
	return calls
}

func without(names []string, not ...string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return slices.Contains(not, n) })
}
