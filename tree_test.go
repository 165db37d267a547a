package fairbridge_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// source is a Go file of the module.
type source struct {
	path   string // from the root
	folder string
	test   bool
	text   []byte
	lines  int
	fset   *token.FileSet
	file   *ast.File
}

// tree returns every Go file of the module. The tests share them and must not change them.
func tree(t *testing.T) []source {
	t.Helper()
	all, err := parseTree()
	if err != nil || len(all) < 20 {
		t.Fatalf("found %d Go files: the walk is broken: %v", len(all), err)
	}
	return all
}

// parseTree parses every Go file of the module, once for all tests.
var parseTree = sync.OnceValues(func() ([]source, error) {
	var all []source
	fset := token.NewFileSet()
	err := walk(".", `(^|/)(testdata|vendor)$`, func(name string) error {
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		lines := fset.File(file.Pos()).LineCount()
		all = append(all, source{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), text, lines, fset, file})
		return nil
	})
	return all, err
})

// walk visits the files below a folder. It leaves out hidden folders, and folders and files that
// skip matches.
func walk(folder, skip string, visit func(name string) error) error {
	skipped := regexp.MustCompile(skip)
	return filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		switch slashed := filepath.ToSlash(name); {
		case err != nil:
			return err
		case d.IsDir() && name != folder && (strings.HasPrefix(d.Name(), ".") || skipped.MatchString(slashed)):
			return filepath.SkipDir
		case d.Type().IsRegular() && !skipped.MatchString(slashed):
			return visit(slashed)
		}
		return nil
	})
}

// generated reports whether a tool wrote the file.
func (f source) generated() bool { return ast.IsGenerated(f.file) }

func (f source) imports() []string {
	var all []string
	for _, spec := range f.file.Imports {
		all = append(all, strings.Trim(spec.Path.Value, "\"`"))
	}
	return all
}

func (f source) at(n ast.Node) string {
	return f.path + ":" + strconv.Itoa(f.line(n.Pos()))
}

func (f source) line(p token.Pos) int { return f.fset.Position(p).Line }
