package fairbridge_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("found %d Go files: the walk is broken", len(all))
	}
	return all
}

// parseTree parses every Go file of the module, once for all tests.
var parseTree = sync.OnceValues(func() ([]source, error) {
	names, err := listGoFiles()
	all, errs, fset := make([]source, len(names)), make([]error, len(names)), token.NewFileSet()
	concurrently(len(names), func(i int) { all[i], errs[i] = parse(fset, names[i]) })
	return all, errors.Join(append(errs, err)...)
})

func listGoFiles() ([]string, error) {
	var names []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "vendor"):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".go"):
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

func parse(fset *token.FileSet, name string) (source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return source{}, err
	}
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	lines := fset.File(file.Pos()).LineCount()
	name = filepath.ToSlash(name)
	return source{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), text, lines, fset, file}, nil
}

// concurrently calls do for each number below n, on every processor.
func concurrently(n int, do func(int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	all.Wait()
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
