package fairbridge_test

import (
	"bytes"
	"go/ast"
	"os"
	"testing"
)

// The most lines that a file, a package and the body of a function may have. A package counts
// without its tests. A test function may be longer, because the table of its cases stands in it.
// The limits hold for the whole tree: programs, scripts and end-to-end tests, too. They do not
// hold for generated files, for testdata, which is input, and for migrations, which never change.
const (
	longestFile         = 600
	longestPackage      = 4_000
	longestFunction     = 60
	longestTestFunction = 100
	longestScript       = 300
)

// TestLengths keeps files and functions short.
func TestLengths(t *testing.T) {
	for _, f := range tree(t) {
		if f.generated() {
			continue
		}
		if f.lines > longestFile {
			t.Errorf("%s has %d lines, at most %d", f.path, f.lines, longestFile)
		}
		for _, d := range f.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			most := longestFunction
			if f.test {
				most = longestTestFunction
			}
			n := f.fset.Position(fn.Body.End()).Line - f.fset.Position(fn.Body.Pos()).Line - 1
			if n > most {
				t.Errorf("%s: func %s has %d lines, at most %d", f.at(fn), fn.Name.Name, n, most)
			}
		}
	}
}

// TestScriptLengths keeps shell scripts and queries short.
func TestScriptLengths(t *testing.T) {
	found := 0
	for _, folder := range []string{"scripts", "sql", ".ci"} {
		err := walk(folder, `/(testdata|migrations)$|\.go$`, func(name string) error {
			found++
			text, err := os.ReadFile(name)
			if n := bytes.Count(text, []byte("\n")); n > longestScript {
				t.Errorf("%s has %d lines, at most %d", name, n, longestScript)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if found < 20 {
		t.Errorf("found only %d: the search is broken", found)
	}
}

// largestFile is the most bytes that any file of the tree may have.
const largestFile = 1 << 20

// TestNoLargeFiles looks for programs and data that were left in the tree.
func TestNoLargeFiles(t *testing.T) {
	err := walk(".", `^(bin|dist)$|\.(test|prof)$`, func(name string) error {
		info, err := os.Stat(name)
		if err == nil && info.Size() > largestFile {
			t.Errorf("%s has %d bytes, at most %d", name, info.Size(), largestFile)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPackageSizes keeps packages small enough to know.
func TestPackageSizes(t *testing.T) {
	lines := map[string]int{}
	for _, f := range tree(t) {
		if !f.test && !f.generated() {
			lines[f.folder] += f.lines
		}
	}
	for folder, n := range lines {
		if n > longestPackage {
			t.Errorf("package %s has %d lines, at most %d: split it at a clean edge", folder, n, longestPackage)
		}
	}
}
