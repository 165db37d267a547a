package fairbridge_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairbridge/scripts/verify/part"
)

// partsNamed returns the parts of make verify that a function names in calls of those functions of scripts/verify/part.
func partsNamed(fn ast.Node, functions ...string) (names []string) {
	ast.Inspect(fn, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if called, isPart := strings.CutPrefix(qualified(call.Fun), "part."); isPart &&
			slices.Contains(functions, called) {
			name := ""
			if literal, ok := call.Args[len(call.Args)-1].(*ast.BasicLit); ok {
				name, _ = strconv.Unquote(literal.Value)
			}
			names = append(names, name)
		}
		return true
	})
	return names
}

// TestPartsRunWhatIsLeftToThem wants every test that names a part to be run by that part's commands. Otherwise no run
// would play it.
func TestPartsRunWhatIsLeftToThem(t *testing.T) {
	for _, f := range tree(t) {
		for _, d := range f.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !f.test || f.folder == "scripts/verify/part" {
				continue
			}
			for _, name := range partsNamed(fn, "Only", "Runs") {
				isRun := func(p part.Part) bool {
					return slices.ContainsFunc(
						p.Commands,
						func(argv []string) bool { return runs(argv, f.folder, fn.Name.Name) },
					)
				}
				if !slices.ContainsFunc(part.Named(part.Table, name), isRun) {
					t.Errorf(
						"%s: %s is left to part %q, which does not run it: see scripts/verify/part/table.go",
						f.at(fn),
						fn.Name.Name,
						name,
					)
				}
			}
		}
	}
}

// runs reports whether a command has go test run a test of a folder. What is no test may be called by any.
func runs(argv []string, folder, test string) bool {
	chosen := slices.ContainsFunc(argv, func(a string) bool {
		pattern, isFolder := strings.CutPrefix(a, "./")
		return isFolder && match([]string{pattern}, folder)
	})
	for i, a := range argv[:max(0, len(argv)-1)] {
		first, _, hasSubtests := strings.Cut(argv[i+1], "/")
		named := regexp.MustCompile(first).MatchString(test)
		if a == "-run" && !named || a == "-skip" && named && !hasSubtests {
			chosen = chosen && !strings.HasPrefix(test, "Test")
		}
	}
	return chosen
}

func TestRuns(t *testing.T) {
	for _, c := range []struct {
		command, folder, test string
		want                  bool
	}{
		{"go test ./e2e/...", "e2e/quickstart", "TestA", true}, {"go test ./e2e", "e2e/quickstart", "TestA", false},
		{"go test ./e2e -run ^(TestA|TestB)$", "e2e", "TestA", true}, {"go test ./e2e -run ^TestB$", "e2e", "TestA", false},
		{"go test ./e2e -run ^TestB$", "e2e", "helper", true}, {"go test ./e2e -skip ^TestA$", "e2e", "TestA", false},
		{"go test ./e2e -skip ^TestA$/^sub$", "e2e", "TestA", true}, {"make race", "e2e", "TestA", false},
	} {
		if got := runs(strings.Fields(c.command), c.folder, c.test); got != c.want {
			t.Errorf("%s runs %s of %s: %t", c.command, c.test, c.folder, got)
		}
	}
}
