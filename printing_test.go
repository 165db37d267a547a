package fairbridge_test

import (
	"go/ast"
	"slices"
	"testing"
)

// terminalFolders are the packages whose output people read on a terminal.
var terminalFolders = []string{"cmd/fairbridge/...", "cmd/fairbridge-demo/...", "cmd/nodeprobe", "cmd/internal/cli", "cmd/internal/output", "cmd/internal/system"}

// printing are calls that write text as it is. Text of users would reach a terminal, a
// spreadsheet or a page through them; bridge/printable has the same calls that
// neutralise it.
var printing = []struct {
	folders []string
	calls   []string // package.Function
	files   []string // that have a reason to
	instead string
}{
	{terminalFolders, []string{"fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "fmt.Print", "fmt.Printf", "fmt.Println", "io.WriteString"},
		[]string{"cmd/internal/output/progressbar.go", "cmd/internal/output/screen.go", "cmd/fairbridge-demo/demo/screen.go"}, // they move the cursor
		"printable.Fprintf, Fprintln or Fprintlines"},
	{terminalFolders, []string{"json.NewEncoder"}, []string{"cmd/internal/output/output.go"}, "output.WriteJSON or WriteJSONLines"},
	{terminalFolders, []string{"slog.NewTextHandler", "slog.NewJSONHandler"}, []string{"cmd/nodeprobe/serve.go"}, "settings.File.NewLogger"},
	{[]string{"..."}, []string{"csv.NewWriter"}, []string{"bridge/printable/csv.go"}, "printable.NewCSVWriter"},
}

// TestPrinting looks for text that reaches readers past bridge/printable.
func TestPrinting(t *testing.T) {
	for _, f := range tree(t) {
		if f.test {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				f.checkPrinting(t, call)
			}
			return true
		})
	}
}

func (f source) checkPrinting(t *testing.T, call *ast.CallExpr) {
	name := calledFunction(call)
	for _, p := range printing {
		if !match(p.folders, f.folder) || slices.Contains(p.files, f.path) || !slices.Contains(p.calls, name) {
			continue
		}
		if len(call.Args) > 0 {
			if to, ok := call.Args[0].(*ast.UnaryExpr); ok && to.Op.String() == "&" {
				continue // into a variable, which is printed later
			}
		}
		t.Errorf("%s: %s writes text of users as it is: use %s", f.at(call), name, p.instead)
	}
}

// calledFunction is "package.Function" of a call, if that is what it looks like.
func calledFunction(call *ast.CallExpr) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}

// The programs give their commands no other standard output and error than those of
// bridge/printable.
func TestProgramsWrapTheirOutput(t *testing.T) {
	for _, name := range []string{"cmd/fairbridge/main.go", "cmd/fairbridge-demo/main.go", "cmd/nodeprobe/main.go"} {
		wrapped := false
		for _, f := range tree(t) {
			if f.path == name {
				ast.Inspect(f.file, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					wrapped = wrapped || ok && calledFunction(call) == "printable.NewWriter"
					return true
				})
			}
		}
		if !wrapped {
			t.Errorf("%s does not wrap its output by printable.NewWriter", name)
		}
	}
}
