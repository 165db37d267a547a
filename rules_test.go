package fairbridge_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// longest is the ceiling for a file, and for a function in lines of its body.
const (
	longestFile     = 300
	longestFunction = 40
)

// The ceilings for a package, tests aside, and for a type.
const (
	mostFiles   = 25
	mostLines   = 2_500
	mostMethods = 25
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

// kindsOfEdit are the names of the constants of type Kind and Field.
func kindsOfEdit(t *testing.T) map[string]bool {
	names := map[string]bool{}
	for _, f := range tree(t) {
		if f.path != "bridge/slurm/kind.go" {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if typ, isName := specType(v, ok); isName && (typ == "Kind" || typ == "Field") {
				for _, name := range v.Names {
					names[name.Name] = true
				}
			}
			return true
		})
	}
	if !names["SiteFactor"] || !names["FieldBegin"] {
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

// TestPackageComments wants one package comment in every package.
func TestPackageComments(t *testing.T) {
	comments := map[string][]string{}
	for _, f := range tree(t) {
		if f.test {
			continue
		}
		if comments[f.folder] == nil {
			comments[f.folder] = []string{}
		}
		if f.file.Doc != nil {
			comments[f.folder] = append(comments[f.folder], f.path)
		}
	}
	for folder, files := range comments {
		if len(files) != 1 {
			t.Errorf("package %s has %d package comments %v, want one", folder, len(files), files)
		}
	}
}

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
			if !ok || fn.Body == nil || f.test {
				continue
			}
			n := f.fset.Position(fn.Body.End()).Line - f.fset.Position(fn.Body.Pos()).Line - 1
			if n > longestFunction {
				t.Errorf("%s: func %s has %d lines, at most %d", f.at(fn), fn.Name.Name, n, longestFunction)
			}
		}
	}
}

// TestPackageSizes keeps packages small enough to know and types whole enough to be
// one thing.
func TestPackageSizes(t *testing.T) {
	files, lines, methods := map[string]int{}, map[string]int{}, map[string]int{}
	for _, f := range tree(t) {
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
			why, excepted := large[name]
			switch {
			case n > most && !excepted:
				t.Errorf("%s has %d %s, at most %d: split it where it has a clean edge", name, n, what, most)
			case excepted && why == "":
				t.Errorf("the exception of %s has no reason", name)
			}
		}
	}
	limit("files", files, mostFiles)
	limit("lines", lines, mostLines)
	limit("methods", methods, mostMethods)
	for name := range large {
		if files[name] <= mostFiles && lines[name] <= mostLines && methods[name] <= mostMethods {
			t.Errorf("%s is within the ceilings: it needs no exception any more", name)
		}
	}
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

// TestDocComments wants an explanation of everything exported.
func TestDocComments(t *testing.T) {
	for _, f := range tree(t) {
		if f.test || f.generated() || f.file.Name.Name == "main" {
			continue
		}
		for _, d := range f.file.Decls {
			for _, n := range unexplained(d) {
				t.Errorf("%s: exported %s has no comment", f.at(d), n)
			}
		}
	}
}

// unexplained returns the exported names of a declaration without a comment. A
// group needs one comment, or one for each.
func unexplained(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		var names []string
		for _, spec := range d.Specs {
			names = append(names, unexplainedSpec(d, spec)...)
		}
		return names
	}
	return nil
}

func unexplainedSpec(d *ast.GenDecl, spec ast.Spec) []string {
	var names []string
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
			names = append(names, s.Name.Name)
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// exportedReceiver reports whether the function is no method, or one of an
// exported type. Methods that only satisfy an interface of an unexported type
// explain themselves.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	typ := d.Recv.List[0].Type
	if p, ok := typ.(*ast.StarExpr); ok {
		typ = p.X
	}
	if g, ok := typ.(*ast.IndexExpr); ok {
		typ = g.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}
