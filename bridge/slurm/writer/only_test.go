package writer_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Only this package may name restconn.Post, nobody may name the DELETE method,
// and nobody but restconn may speak HTTP to Slurm.
func TestOnlyTheWriterWrites(t *testing.T) {
	users := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		pkg := filepath.Dir(path)
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			on, _ := sel.X.(*ast.Ident)
			switch {
			case on != nil && on.Name == "restconn" && sel.Sel.Name == "Post":
				users++
				if pkg != "../writer" && pkg != "." {
					t.Errorf("%s names restconn.Post", path)
				}
			case sel.Sel.Name == "MethodDelete", sel.Sel.Name == "MethodPut", sel.Sel.Name == "MethodPatch":
				t.Errorf("%s names %s", path, sel.Sel.Name)
			case sel.Sel.Name == "MethodPost" && filepath.Base(pkg) != "restconn":
				t.Errorf("%s names %s", path, sel.Sel.Name)
			}
			return true
		})
		return nil
	})
	if err != nil || users != 2 {
		t.Errorf("%v; restconn.Post is named %d times, not twice (update and requeue)", err, users)
	}
}
