package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func example(labels ...string) ComparisonPage {
	p := ComparisonPage{
		Title: "Policies compared on day.trace", About: []string{"120 jobs on 32 GPUs."}, Footer: "fairbridge (devel)",
		Table:            Table{ColumnHeads: []string{"Policy", "Makespan"}, Notes: []string{"Bold is best."}},
		WeightsByAccount: map[string]float64{"ml": 3, "bio": 1},
	}
	for i, l := range labels {
		pol := PolicyRuns{Label: l, EndSeconds: 7200, ClusterGPUs: 8, Samples: []Sample{
			{AtSeconds: 0, BusyGPUs: 8, QueuedJobs: 3, GPUsByAccount: map[string]float64{"ml": 6, "bio": 2}},
			{AtSeconds: 3600, BusyGPUs: 4, GPUsByAccount: map[string]float64{"bio": 4}}, {AtSeconds: 7200},
		}}
		for j := range 50 {
			pol.JCTs, pol.Rhos = append(pol.JCTs, float64((i+1)*(j+1)*60)), append(pol.Rhos, float64(j)/25)
		}
		p.Policies = append(p.Policies, pol)
		p.Table.Rows = append(p.Table.Rows, TableRow{Label: l, StyleIndex: i, Cells: []TableCell{{Text: "7,200 s", IsBest: i == 0}}})
	}
	return p
}

func written(t *testing.T, p ComparisonPage) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteComparisonPage(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var drawing = regexp.MustCompile(`(?s)<svg viewBox="[^"]*" role="img".*?</svg>`)

// TestDrawings wants each drawing to be whole XML with a title and words, axes
// with units, and all coordinates within it.
func TestDrawings(t *testing.T) {
	page := written(t, example("fifo", "tiresias"))
	drawings := drawing.FindAllString(page, -1)
	if len(drawings) != 5 {
		t.Fatalf("%d drawings, want 5", len(drawings))
	}
	for _, s := range drawings {
		texts := map[string]string{}
		d := xml.NewDecoder(strings.NewReader(s))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, s)
			}
			if e, ok := token.(xml.StartElement); ok && (e.Name.Local == "title" || e.Name.Local == "desc" || class(e) == "label mid") {
				var text string
				if err := d.DecodeElement(&text, &e); err != nil {
					t.Fatal(err)
				}
				if texts[e.Name.Local] == "" || e.Name.Local == "text" {
					texts[e.Name.Local] += "|" + text
				}
			}
		}
		if texts["title"] == "" || !strings.Contains(texts["desc"], "tiresias") || !strings.Contains(texts["desc"], "fifo") {
			t.Errorf("title %q, words %q", texts["title"], texts["desc"])
		}
		for _, l := range strings.Split(texts["text"], "|")[1:] {
			if !regexp.MustCompile(`%|hours|minutes|share of jobs|no unit|waiting jobs`).MatchString(l) {
				t.Errorf("axis %q has no unit", l)
			}
		}
		if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("not a number in\n%s", s)
		}
	}
	if strings.Index(page, "<table>") > strings.Index(page, "<figure>") {
		t.Error("the table does not come first")
	}
}

func class(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "class" {
			return a.Value
		}
	}
	return ""
}

// TestOneFile wants nothing loaded and nothing run.
func TestOneFile(t *testing.T) {
	page := written(t, example("fifo", "drf"))
	for _, no := range []string{"http:", "https:", "<script", "src=", "<link", "@import", "url(", "<iframe", "onload"} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %s", no)
		}
	}
}

// TestNames wants names that look like HTML to stay names, everywhere.
func TestNames(t *testing.T) {
	p := example(`<b>"a&b"`)
	p.Policies[0].Samples[0].GPUsByAccount[`<i>x`] = 2
	if page := written(t, p); strings.Contains(page, "<b>") || strings.Contains(page, "<i>") || !strings.Contains(page, "&lt;b&gt;") {
		t.Error("a name became HTML")
	}
}

// TestLooks wants each policy to have one look on the whole page, unlike the
// other policies'.
func TestLooks(t *testing.T) {
	labels := make([]string, colourCount*dashCount)
	for i := range labels {
		labels[i] = fmt.Sprintf("policy%d", i)
	}
	page := written(t, example(labels...))
	looks := map[string]string{}
	line := regexp.MustCompile(`class="line (c\d d\d)" d="[^"]*"><title>(policy\d+)</title>`)
	key := regexp.MustCompile(`<path class="line (c\d d\d)" d="M0 5H24"/></svg>\d+ (policy\d+)<`)
	seen := 0
	for _, m := range append(line.FindAllStringSubmatch(page, -1), key.FindAllStringSubmatch(page, -1)...) {
		seen++
		if was, ok := looks[m[2]]; ok && was != m[1] {
			t.Errorf("%s is %s and %s", m[2], was, m[1])
		}
		looks[m[2]] = m[1]
	}
	different := map[string]bool{}
	for _, l := range looks {
		different[l] = true
	}
	if len(different) != len(labels) || seen < 9*len(labels) {
		t.Errorf("%d looks of %d policies, %d seen", len(different), len(labels), seen)
	}
}

// TestEmpty wants a page also of runs without jobs.
func TestEmpty(t *testing.T) {
	page := written(t, ComparisonPage{Title: "none", Policies: []PolicyRuns{{Label: "fifo"}}})
	for _, d := range drawing.FindAllString(page, -1) {
		if strings.Contains(d[strings.Index(d, "</desc>"):], "NaN") {
			t.Errorf("not a number in\n%s", d)
		}
	}
}

var variable = regexp.MustCompile(`--(paper|ink|soft|row|c\d): (#[0-9a-f]{3,6})`)

// TestContrast holds the colours against what WCAG 2 asks: 4.5 for text, 3 for
// lines, in light and dark.
func TestContrast(t *testing.T) {
	style, err := templateFiles.ReadFile("style.html")
	if err != nil {
		t.Fatal(err)
	}
	found := variable.FindAllStringSubmatch(string(style), -1)
	if len(found) != 2*(4+colourCount) {
		t.Fatalf("%d colours", len(found))
	}
	for _, theme := range [][][]string{found[:len(found)/2], found[len(found)/2:]} {
		paper, row := theme[0][2], theme[3][2]
		for _, m := range theme {
			want := 3.0
			if m[1] == "ink" || m[1] == "soft" {
				want = 4.5
			}
			if m[1] == "paper" || m[1] == "row" {
				continue
			}
			if c := min(contrast(m[2], paper), contrast(m[2], row)); c < want {
				t.Errorf("%s %s: contrast %.2f, want %.1f", m[1], m[2], c, want)
			}
		}
	}
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(colour string) float64 {
	digits := colour[1:]
	if len(digits) == 3 {
		digits = strings.Join([]string{digits[:1], digits[:1], digits[1:2], digits[1:2], digits[2:], digits[2:]}, "")
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		if err != nil {
			panic(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}
