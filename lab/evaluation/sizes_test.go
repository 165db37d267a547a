package evaluation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/scripts/verify/part"
)

// TestSizesAreASection wants a row for every policy in both modes, and the rest of the page as it was.
func TestSizesAreASection(t *testing.T) {
	part.Only(t, "studies")
	path := filepath.Join(t.TempDir(), "evaluation.md")
	rest := "# Evaluation\n\nhead\n\n## Speed\n\nfast\n"
	if err := os.WriteFile(path, []byte(rest), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := WriteSizes(t.Context(), path, SizesOptions{Parallel: 2, IsQuick: true, ReportProgress: func(string) {}}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, name := range sizesPolicies {
		for _, mode := range []string{"preempt", "elastic"} {
			if !strings.Contains(page, "\n| "+name+" | "+mode+" | ") {
				t.Errorf("no row for %s in mode %s", name, mode)
			}
		}
	}
	begin, end := findSection(page, sizesTitle)
	if got := page[:begin] + page[end:]; got != rest {
		t.Errorf("the rest of the page is now %q", got)
	}
	if strings.Contains(page, "NaN") {
		t.Error("a figure is none")
	}
}
