package fairbridge_test

import (
	"go/ast"
	"slices"
	"strconv"
	"testing"
)

// terminalFolders are the packages whose output people read on a terminal.
var terminalFolders = []string{
	"cmd/fairbridge/...",
	"cmd/fairbridge-demo/...",
	"cmd/nodeprobe",
	"cmd/internal/cli",
	"cmd/internal/output",
	"cmd/internal/system",
}

// printing are calls that write text as it is. Text of users would reach a terminal, a
// spreadsheet or a page through them; bridge/printable has the same calls that
// neutralise it.
var printing = []struct {
	folders []string
	calls   []string // package.Function
	files   []string // that have a reason to
	instead string
}{
	{
		terminalFolders,
		[]string{
			"fmt.Fprint",
			"fmt.Fprintf",
			"fmt.Fprintln",
			"fmt.Print",
			"fmt.Printf",
			"fmt.Println",
			"io.WriteString",
		},
		[]string{
			"cmd/internal/output/progressbar.go",
			"cmd/internal/output/screen.go",
			"cmd/fairbridge-demo/demo/screen.go",
		}, // they move the cursor
		"printable.Fprintf, Fprintln or Fprintlines",
	},
	{
		terminalFolders,
		[]string{"json.NewEncoder"},
		[]string{"cmd/internal/output/output.go"},
		"output.WriteJSON or WriteJSONLines",
	},
	{
		terminalFolders,
		[]string{"slog.NewTextHandler", "slog.NewJSONHandler"},
		[]string{"cmd/nodeprobe/serve.go"},
		"settings.File.NewLogger",
	},
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
	name := qualified(call.Fun)
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

// qualified is "package.Name" of an expression, if that is what it looks like.
func qualified(x ast.Expr) string {
	if s, ok := x.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}

// The programs give their commands no other standard output and error than those of
// bridge/printable.
func TestProgramsWrapTheirOutput(t *testing.T) {
	wrapped := map[string]bool{}
	for _, f := range tree(t) {
		ast.Inspect(f.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			wrapped[f.path] = wrapped[f.path] || ok && qualified(call.Fun) == "printable.NewWriter"
			return true
		})
	}
	for _, name := range []string{"cmd/internal/cli/execute.go", "cmd/fairbridge-demo/main.go", "cmd/nodeprobe/main.go"} {
		if !wrapped[name] {
			t.Errorf("%s does not wrap its output by printable.NewWriter", name)
		}
	}
}

// TestProgramsAreWrittenInOnePlace: what is written to be run goes through scripts/executable,
// which keeps other programs from holding it open.
func TestProgramsAreWrittenInOnePlace(t *testing.T) {
	for _, f := range tree(t) {
		ast.Inspect(f.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && f.folder != "scripts/executable" && writesProgram(call) {
				t.Errorf("%s: a program is written by %s: use scripts/executable", f.at(n), qualified(call.Fun))
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
	if !ok {
		return false
	}
	bits, err := strconv.ParseUint(mode.Value, 0, 32)
	return err == nil && bits&0o111 != 0
}
