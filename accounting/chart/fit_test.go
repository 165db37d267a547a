package chart

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fairbridge/replica/measure"
)

// overflows asks a real Chromium for what a page shows that is wider than its place, in a window of a width.
const overflows = `<script>let o = [];
if (document.documentElement.scrollWidth > innerWidth) o.push("the page");
document.querySelectorAll(".wide").forEach(e => { if (e.scrollWidth > e.clientWidth) o.push(e.getAttribute("aria-label") + " (" + e.scrollWidth + " of " + e.clientWidth + ")"); });
document.title = "OVERFLOWS[" + o.join(";") + "]";</script>`

// The comparison shows all its columns, whatever figures there are, in a window of 1,280 pixels.
func TestAllColumnsFit(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("this machine has no chromium")
	}
	for _, most := range []int{mostWideColumns, 1 + len(measure.AllMetrics)} {
		fits(t, browser, most)
	}
}

// fits tries a page with the first so many of all columns.
func fits(t *testing.T, browser string, columns int) {
	t.Helper()
	p := example("fairbridge", "proportional", "least-attained-service")
	metrics := measure.AllMetrics[:columns-1]
	p.Table = Table{ColumnHeads: []string{"Policy"}}
	for _, m := range metrics {
		p.Table.ColumnHeads = append(p.Table.ColumnHeads, m.Title)
	}
	for i, pol := range p.Policies {
		row := TableRow{Label: pol.Label, StyleIndex: i}
		for _, m := range metrics {
			cell := TableCell{Text: "100.0 %", IsBest: i == len(row.Cells)%3}
			if strings.HasSuffix(m.Title, ", s") { // two weeks
				cell.Text = "1234567.8"
			}
			row.Cells = append(row.Cells, cell)
		}
		p.Table.Rows = append(p.Table.Rows, row)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(written(t, p)+overflows), 0o600); err != nil {
		t.Fatal(err)
	}
	for size, want := range map[string]string{"1280,900": "", "1920,900": "", "500,900": "Figures of all policies"} {
		c := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--window-size="+size, "--dump-dom", "file://"+file)
		out, err := c.Output()
		found := regexp.MustCompile(`<title>OVERFLOWS\[(.*)\]</title>`).FindStringSubmatch(string(out))
		if err != nil || found == nil {
			t.Skipf("this machine's chromium shows no page: %v, %.200s", err, strings.TrimSpace(string(out)))
		}
		if got, _, _ := strings.Cut(found[1], " ("); got != want {
			t.Errorf("%d columns at %s: %q is wider than its place, want %q", columns, size, found[1], want)
		}
	}
}
