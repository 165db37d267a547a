package fairbridge_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// source is a Go file of the module.
type source struct {
	path   string // from the root
	folder string
	test   bool
	lines  int
	fset   *token.FileSet
	file   *ast.File
}

// tree parses every Go file of the module.
func tree(t *testing.T) []source {
	t.Helper()
	var all []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "vendor"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		all = append(all, source{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), fset.File(file.Pos()).LineCount(), fset, file})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("found %d Go files: the walk is broken", len(all))
	}
	return all
}

// generated reports whether a tool wrote the file.
func (f source) generated() bool { return ast.IsGenerated(f.file) }

func (f source) imports() []string {
	var all []string
	for _, spec := range f.file.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			all = append(all, imp)
		}
	}
	return all
}

func (f source) at(n ast.Node) string {
	p := f.fset.Position(n.Pos())
	return f.path + ":" + strconv.Itoa(p.Line)
}
