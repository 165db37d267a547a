package evaluation

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairbridge/policy/catalogue"
	"fairbridge/scripts/verify/part"
)

// TestQuick writes the page in small and wants every policy in it, tables whose
// rows have as many cells as their head, and no figure that is none.
func TestQuick(t *testing.T) {
	part.Only(t, "studies")
	path := filepath.Join(t.TempDir(), "evaluation.md")
	if err := WriteEvaluation(t.Context(), path, Options{IsQuick: true, ReportProgress: func(string) {}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, e := range catalogue.Systems() {
		if has, want := strings.Contains(page, "\n| "+e.Name+" | "), !slices.Contains(sameAsDRF, e.Name); has != want {
			t.Errorf("%s has a row: %t, want %t", e.Name, has, want)
		}
	}
	for _, section := range []string{"On the published traces", "On fresh workloads", "Speed", "Growth", "The price of going"} {
		if !strings.Contains(page, "\n## "+section) {
			t.Errorf("no section %s", section)
		}
	}
	for _, table := range regexp.MustCompile(`(?m)(^\|.*\n)+`).FindAllString(page, -1) {
		lines := strings.Split(strings.TrimSpace(table), "\n")
		for _, l := range lines {
			if strings.Count(l, "|") != strings.Count(lines[0], "|") || strings.Contains(l, "NaN") || strings.Contains(l, "Inf") {
				t.Errorf("row %s below head %s", l, lines[0])
			}
		}
	}
}

// TestNothingHalfWritten wants a page that cannot be made to leave the old one.
func TestNothingHalfWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evaluation.md")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteEvaluation(t.Context(), path, Options{TracesFolder: t.TempDir(), IsQuick: true, ReportProgress: func(string) {}}); err == nil {
		t.Error("a folder without traces is taken")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("the page is now %q (%v)", text, err)
	}
}

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		ours, published float64
		want            string
	}{{32367.434, 32367.434, "0"}, {101, 100, "+1.00 %"}, {99.5, 100, "-0.50 %"}} {
		if got := formatDifference(c.ours, c.published); got != c.want {
			t.Errorf("difference(%g, %g) = %s, want %s", c.ours, c.published, got, c.want)
		}
	}
}

// TestWrittenSections: the page has the sections as they are written here.
func TestWrittenSections(t *testing.T) {
	page, err := os.ReadFile("../../docs/evaluation.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range writtenSections {
		text, err := writtenFiles.ReadFile(name)
		if err != nil || !strings.Contains(string(page), "\n"+string(text)) {
			t.Errorf("docs/evaluation.md has another text: put that of %s there (%v)", name, err)
		}
	}
}
