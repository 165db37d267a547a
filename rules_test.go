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
		switch pkg, name, _ := strings.Cut(qualified(n), "."); {
		case pkg == "time" && slices.Contains(clocks, name):
			return "the clock time." + name
		case pkg == "fmt" && strings.HasPrefix(name, "Print"):
			return "output by fmt." + name
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
var tellsKinds = []string{"bridge/actuator/...", "bridge/slurm/...", "replica/sim", "gear/chaos/oracle"}

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
				if name, isOfSlurm := strings.CutPrefix(qualified(clause.List[i]), "slurm."); isOfSlurm && kinds[name] {
					t.Errorf("%s: a switch tells slurm.%s apart: ask its row in bridge/actuator", f.at(n), name)
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
			if v, ok := n.(*ast.ValueSpec); ok {
				typ, ok := v.Type.(*ast.Ident)
				for i := 0; ok && i < len(v.Names) && (typ.Name == "EditKind" || typ.Name == "Field"); i++ {
					names[v.Names[i].Name] = true
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
