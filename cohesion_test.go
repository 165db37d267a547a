package fairbridge_test

import (
	"slices"
	"strings"
	"testing"
)

// mostWithOneImporter is how many packages exactly one other package imports, tests and the
// systems under policy/paper not counted. Such a package is often a part of its importer that
// was split off to keep the importer small. The number may only fall.
const mostWithOneImporter = 96

// TestPackagesWithOneImporter counts them.
func TestPackagesWithOneImporter(t *testing.T) {
	importers := map[string][]string{}
	for folder, imports := range localImports(t) {
		for _, to := range imports {
			importers[to] = append(importers[to], folder)
		}
	}
	var alone []string
	for folder, by := range importers {
		if len(by) == 1 && !match([]string{"policy/paper/..."}, folder) {
			alone = append(alone, folder+" by "+by[0])
		}
	}
	switch n := len(alone); {
	case n > mostWithOneImporter:
		slices.Sort(alone)
		t.Errorf("%d packages are imported by exactly one, at most %d: put the new one into its importer. They are:\n%s",
			n, mostWithOneImporter, strings.Join(alone, "\n"))
	case n < mostWithOneImporter:
		t.Errorf("only %d packages are imported by exactly one: lower mostWithOneImporter in cohesion_test.go to %[1]d", n)
	}
}

// localImports says which packages of the module each package imports, without its tests.
func localImports(t *testing.T) map[string][]string {
	imports := map[string][]string{}
	for _, f := range tree(t) {
		for _, imp := range f.imports() {
			if to, ok := local(imp); ok && !f.test && !slices.Contains(imports[f.folder], to) {
				imports[f.folder] = append(imports[f.folder], to)
			}
		}
	}
	return imports
}
