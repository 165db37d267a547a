package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func sheet(t *testing.T, sections ...Section) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteReportPage(&b, ReportPage{Title: "Report <1>", About: []string{"Cluster c1."}, Sections: sections, Footer: "by a test"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSheet wants drawings that are whole XML with every line and bar, the
// table in full, and names that stay names.
func TestSheet(t *testing.T) {
	lines := Section{
		ID: "daily", Title: "By day", ColumnHeads: []string{"day", "account"}, Rows: [][]string{{"2026-03-02", "<b>"}},
		Drawing: Drawing{XLabel: "days since 2026-03-02", YLabel: "GPU-hours", Series: []Series{
			{"<b>ml", []float64{0, 1, 2}, []float64{1, 5, 2}}, {"bio", []float64{0, 1, 2}, []float64{math.NaN(), 3, 300}},
		}},
	}
	bars := Section{
		ID: "rows", Title: "By account", ColumnHeads: []string{"account", "hours"}, Rows: [][]string{{"ml", "5"}, {"bio", "–"}},
		Drawing: Drawing{XLabel: "GPU-hours", BarKeys: []string{"held", "busy"}, Bars: []BarRow{{"ml", []float64{5, 2}}, {"<i>", []float64{3, math.NaN()}}}},
	}
	page := sheet(t, lines, bars, Section{ID: "none", Title: "Nothing"})
	drawings := drawing.FindAllString(page, -1)
	if len(drawings) != 2 {
		t.Fatalf("%d drawings, want 2", len(drawings))
	}
	for i, want := range []int{2, 3} {
		whole(t, drawings[i])
		if n := strings.Count(drawings[i], `class="line`) + strings.Count(drawings[i], `class="bar`); n != want {
			t.Errorf("drawing %d has %d lines and bars, want %d", i, n, want)
		}
	}
	if !strings.Contains(drawings[0], "Means: bio 151.5; &lt;b&gt;ml 2.667.") || !strings.Contains(drawings[1], "ml, held 5, busy 2") {
		t.Errorf("words:\n%s\n%s", drawings[0], drawings[1])
	}
	for _, no := range []string{"NaN", "<b>", "<i>", "http:", "https:", "<script", "url("} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %s", no)
		}
	}
	for _, want := range []string{"<td>5</td>", "2026-03-02", "nothing"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func whole(t *testing.T, s string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(s)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, s)
		}
	}
}

// TestSheetShowsTheLargest wants no more lines than there are colours, and of
// bars only as many as one can read.
func TestSheetShowsTheLargest(t *testing.T) {
	var d, e Drawing
	for i := range 30 {
		d.Series = append(d.Series, Series{strings.Repeat("x", i+1), []float64{0, 1}, []float64{float64(i), float64(i)}})
		e.Bars = append(e.Bars, BarRow{"row", []float64{1}})
	}
	e.BarKeys = []string{"k"}
	page := sheet(t, Section{ID: "a", Title: "a", Drawing: d}, Section{ID: "b", Title: "b", Drawing: e})
	drawings := drawing.FindAllString(page, -1)
	if n := strings.Count(drawings[0], `class="line`); n != maxLinesShown || !strings.Contains(drawings[0], strings.Repeat("x", 30)) {
		t.Errorf("%d lines", n)
	}
	if n := strings.Count(drawings[1], `class="bar`); n != maxBarRowsShown {
		t.Errorf("%d bars", n)
	}
}
