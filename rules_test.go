package fairbridge_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// clocks are the functions of package time that look at or wait for a clock.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// TestPurity looks for clocks, goroutines, channels and output in what decides.
func TestPurity(t *testing.T) {
	for _, f := range tree(t) {
		if f.test || !match(pure, f.folder) {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			if what := effect(n); what != "" {
				t.Errorf("%s: %s in a pure package", f.at(n), what)
			}
			return true
		})
	}
}

// effect names the effect of a node, or "".
func effect(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a goroutine"
	case *ast.SelectStmt, *ast.ChanType, *ast.SendStmt:
		return "a channel"
	case *ast.SelectorExpr:
		pkg, ok := n.X.(*ast.Ident)
		switch {
		case !ok:
		case pkg.Name == "time" && slices.Contains(clocks, n.Sel.Name):
			return "the clock time." + n.Sel.Name
		case pkg.Name == "fmt" && strings.HasPrefix(n.Sel.Name, "Print"):
			return "output by fmt." + n.Sel.Name
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
			return "output by " + f.Name
		}
	}
	return ""
}

// tellsKinds are the packages that may tell kinds of edit apart: the table and what
// carries edits out. The oracle of chaos judges by its own reading of the sentences.
var tellsKinds = []string{"bridge/actuator/...", "bridge/slurm/...", "bridge/sim", "bridge/chaos/oracle"}

// TestKindsOfEdit looks for switches over kinds of edit and their fields outside the
// table: what there is to know of a kind is asked of its row.
func TestKindsOfEdit(t *testing.T) {
	kinds := kindsOfEdit(t)
	for _, f := range tree(t) {
		if f.test || match(tellsKinds, f.folder) {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			clause, ok := n.(*ast.CaseClause)
			for i := 0; ok && i < len(clause.List); i++ {
				x, isSelector := clause.List[i].(*ast.SelectorExpr)
				if !isSelector {
					continue
				}
				if pkg, isName := x.X.(*ast.Ident); isName && pkg.Name == "slurm" && kinds[x.Sel.Name] {
					t.Errorf("%s: a switch tells slurm.%s apart: ask its row in bridge/actuator", f.at(n), x.Sel.Name)
				}
			}
			return true
		})
	}
}

// kindsOfEdit are the names of the constants of type EditKind and Field.
func kindsOfEdit(t *testing.T) map[string]bool {
	names := map[string]bool{}
	for _, f := range tree(t) {
		if f.path != "bridge/slurm/edit_kind.go" {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if typ, isName := specType(v, ok); isName && (typ == "EditKind" || typ == "Field") {
				for _, name := range v.Names {
					names[name.Name] = true
				}
			}
			return true
		})
	}
	if !names["EditSiteFactor"] || !names["FieldBeginTime"] {
		t.Fatalf("the kinds of edit are not found: %v", names)
	}
	return names
}

func specType(v *ast.ValueSpec, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	typ, isName := v.Type.(*ast.Ident)
	if !isName {
		return "", false
	}
	return typ.Name, true
}
