package fairbridge_test

import (
	"go/ast"
	"go/token"
	"strconv"
	"testing"
)

// TestProgramsAreWrittenInOnePlace: what is written to be run goes through scripts/executable, which keeps other programs
// from holding it open.
func TestProgramsAreWrittenInOnePlace(t *testing.T) {
	for _, f := range tree(t) {
		if f.folder == "scripts/executable" {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && writesProgram(call) {
				t.Errorf("%s: a program is written by os.%s: use scripts/executable", f.at(n), call.Fun.(*ast.SelectorExpr).Sel.Name)
			}
			return true
		})
	}
}

// writesProgram reports whether a call writes a file that its mode allows to be run.
func writesProgram(call *ast.CallExpr) bool {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) != 3 || fun.Sel.Name != "WriteFile" && fun.Sel.Name != "OpenFile" {
		return false
	}
	mode, ok := call.Args[2].(*ast.BasicLit)
	if !ok || mode.Kind != token.INT {
		return false
	}
	bits, err := strconv.ParseUint(mode.Value, 0, 32)
	return err == nil && bits&0o111 != 0
}
