package fairbridge_test

import (
	"bytes"
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The ceilings for a file, and for a function in lines of its body. They hold over the
// whole tree, programs, scripts and end-to-end tests included. A function of a test may
// be longer, since the table of its cases stands in it. Nothing holds for what a tool
// wrote, for testdata, which is input, and for migrations, which are not edited.
const (
	longestFile         = 300
	longestFunction     = 40
	longestTestFunction = 100
)

// The ceilings for a package, for the tests in its folder, and for a type.
const (
	mostFiles     = 25
	mostLines     = 2_500
	mostTestFiles = 30
	mostTestLines = 4_000
	mostMethods   = 25
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
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "migrations"):
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(path) == ".go":
				return nil
			}
			found++
			text, err := os.ReadFile(path)
			if n := bytes.Count(text, []byte("\n")); n > longestFile {
				t.Errorf("%s has %d lines, at most %d", path, n, longestFile)
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

// largestFile is the ceiling for any file of the tree, in bytes.
const largestFile = 1 << 20

// TestNoLargeFiles looks for programs and data that were left in the tree.
func TestNoLargeFiles(t *testing.T) {
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "bin" || name == "dist" || name != "." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case !d.Type().IsRegular() || strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".prof"):
			return nil
		}
		info, err := d.Info()
		if err == nil && info.Size() > largestFile {
			t.Errorf("%s has %d bytes, at most %d", name, info.Size(), largestFile)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPackageSizes keeps packages small enough to know and types whole enough to be
// one thing.
func TestPackageSizes(t *testing.T) {
	files, lines, methods := map[string]int{}, map[string]int{}, map[string]int{}
	testFiles, testLines := map[string]int{}, map[string]int{}
	for _, f := range tree(t) {
		if f.test {
			testFiles[f.folder]++
			testLines[f.folder] += f.lines
		}
		if f.test || f.generated() {
			continue
		}
		files[f.folder]++
		lines[f.folder] += f.lines
		for _, d := range f.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && len(fn.Recv.List) > 0 {
				methods[f.folder+"."+receiver(fn)]++
			}
		}
	}
	limit := func(what string, have map[string]int, most int) {
		for name, n := range have {
			if n > most {
				t.Errorf("%s has %d %s, at most %d: split it where it has a clean edge", name, n, what, most)
			}
		}
	}
	limit("files", files, mostFiles)
	limit("lines", lines, mostLines)
	limit("methods", methods, mostMethods)
	limit("files of tests", testFiles, mostTestFiles)
	limit("lines of tests", testLines, mostTestLines)
}

// receiver names the type a method belongs to.
func receiver(fn *ast.FuncDecl) string {
	typ := fn.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
