package evaluation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairbridge/scripts/verify/part"
)

// TestLoopPriceIsASection wants a row for every switch, and the rest of the page as it was.
func TestLoopPriceIsASection(t *testing.T) {
	part.Only(t, "studies")
	path := filepath.Join(t.TempDir(), "evaluation.md")
	rest := "# Evaluation\n\nhead\n\n## Speed\n\nfast\n"
	if err := os.WriteFile(path, []byte(rest), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := WriteLoopPrice(t.Context(), path, LoopPriceOptions{Parallel: 1, IsQuick: true, ReportProgress: func(string) {}}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, x := range slices.Concat(referenceSwitches, orderSwitches, stopSwitches) {
		if !strings.Contains(page, "\n| "+x.title+" | ") {
			t.Errorf("no row for %s", x.title)
		}
	}
	begin, end := findSection(page, loopPriceTitle)
	if got := page[:begin] + page[end:]; got != rest {
		t.Errorf("the rest of the page is now %q", got)
	}
	if strings.Contains(page, "NaN") {
		t.Error("a figure is none")
	}
}
