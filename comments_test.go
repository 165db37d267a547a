package fairbridge_test

import (
	"go/ast"
	"testing"
)

// TestPackageComments wants one package comment in every package.
func TestPackageComments(t *testing.T) {
	comments := map[string][]string{}
	for _, f := range tree(t) {
		if f.test {
			continue
		}
		files := comments[f.folder]
		if f.file.Doc != nil {
			files = append(files, f.path)
		}
		comments[f.folder] = files
	}
	for folder, files := range comments {
		if len(files) != 1 {
			t.Errorf("package %s has %d package comments %v, want one", folder, len(files), files)
		}
	}
}

// TestDocComments wants an explanation of everything exported.
func TestDocComments(t *testing.T) {
	for _, f := range tree(t) {
		if f.test || f.generated() {
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
func unexplained(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			names = append(names, unexplainedSpec(d, spec)...)
		}
	}
	return names
}

func unexplainedSpec(d *ast.GenDecl, spec ast.Spec) (names []string) {
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
