package docs_test

import (
	goflag "flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"fairbridge/replica/paired"
)

var writeSites = goflag.Bool("write-sites", false, "write the table of README.md and status.md from site-figures.tsv")

// siteFigures are the figures of site-figures.tsv by row, site and figure.
type siteFigures map[string]map[string]map[string][2]float64

func readSiteFigures(t *testing.T) siteFigures {
	text, err := os.ReadFile("site-figures.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all := siteFigures{}
	for line := range strings.Lines(string(text)) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		value, err := strconv.ParseFloat(c[3], 64)
		if err != nil {
			continue // the head
		}
		spread, _ := strconv.ParseFloat(c[4], 64)
		if all[c[1]] == nil {
			all[c[1]] = map[string]map[string][2]float64{}
		}
		if all[c[1]][c[0]] == nil {
			all[c[1]][c[0]] = map[string][2]float64{}
		}
		all[c[1]][c[0]][c[2]] = [2]float64{value, spread}
	}
	return all
}

// readmeFigures are the columns of README's table, readmeRows its rows.
var (
	readmeFigures = [][2]string{
		{"mean wait", "mean_wait_s"}, {"slowdown", "mean_slowdown"}, {"95 % wait", "p95_wait_s"},
		{"longest wait", "longest_wait_s"}, {"completion", "mean_completion_s"},
		{"> 8 GPUs, slowdown", "slowdown_gpus_from_9"},
	}
	readmeRows = []string{
		"slurm, arrivals jittered", "fairbridge", "sjf", "multifactor", "easy", "fairbridge, true run times",
	}
)

// worst is the largest ratio of a row at any site.
func (f siteFigures) worst(row, figure string) float64 {
	worst := math.Inf(-1)
	for site, figures := range f[row] {
		if v, ok := figures[figure]; ok && site != "all" {
			worst = max(worst, v[0])
		}
	}
	return worst
}

// table is README's.
func (f siteFigures) table() string {
	var b strings.Builder
	b.WriteString("| beside Slurm alone |")
	for _, c := range readmeFigures {
		b.WriteString(" " + c[0] + " |")
	}
	b.WriteString("\n|---" + strings.Repeat("|---", len(readmeFigures)) + "|\n")
	for _, row := range readmeRows {
		b.WriteString("| " + row + " |")
		for _, c := range readmeFigures {
			v := f[row]["all"][c[1]]
			fmt.Fprintf(&b, " %s ± %s |", paired.FormatRatio(v[0]), paired.FormatRatio(v[1]))
		}
		if b.WriteString("\n"); row != "fairbridge" {
			continue
		}
		b.WriteString("| *the worst site for it* |")
		for _, c := range readmeFigures {
			b.WriteString(" *" + paired.FormatRatio(f.worst(row, c[1])) + "* |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestSitesTable wants the table of README.md and of status.md to be that of the figures by site.
func TestSitesTable(t *testing.T) {
	const begin = "<!-- sites-table: go test ./docs -run TestSitesTable -args -write-sites -->\n"
	const end = "<!-- end of sites-table -->"
	want := readSiteFigures(t).table()
	for _, page := range []string{"../README.md", "status.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, hasBegin := strings.Cut(string(text), begin)
		shown, after, hasEnd := strings.Cut(rest, end)
		switch {
		case !hasBegin || !hasEnd:
			t.Errorf("%s has no table between %s and %s", page, strings.TrimSpace(begin), end)
		case *writeSites:
			if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
				t.Fatal(err)
			}
		case shown != want:
			t.Errorf("%s shows\n%s\nwant\n%s", page, shown, want)
		}
	}
}
