package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"fairbridge/bridge/printable"
)

// The drawing, in units of the picture's own: it grows with the page.
const (
	plotWidth, plotHeight                            = 760.0, 340.0
	leftMargin, rightMargin, topMargin, bottomMargin = 62.0, 16.0, 14.0, 48.0
)

// line is one policy in a plot.
type line struct {
	label      string
	styleIndex int
	points     []point
}

// verticalRule is a straight line that means something.
type verticalRule struct {
	x     float64
	label string
}

// escapeText makes a text, whoever wrote it, harmless in a page.
func escapeText(s string) string { return html.EscapeString(printable.Text(s)) }

// plot is lines over two axes.
type plot struct {
	id, title, description string // description: what it shows, in words
	xAxis, yAxis           axis
	lines                  []line
	verticalRules          []verticalRule
}

// svgWriter writes elements of SVG.
type svgWriter struct{ strings.Builder }

func (p *svgWriter) writef(format string, a ...any) { fmt.Fprintf(p, format+"\n", a...) }

func (p *svgWriter) writeText(x, y float64, class, s string) {
	p.writef(`<text x="%s" y="%s" class="%s">%s</text>`, formatPixel(x), formatPixel(y), class, escapeText(s))
}

func (p *svgWriter) writeOpeningTag(id, title, said string, height float64) {
	p.writef(`<svg viewBox="0 0 %s %s" role="img" aria-labelledby="%s-t %s-d">`, formatPixel(plotWidth), formatPixel(height), id, id)
	p.writef(`<title id="%s-t">%s</title><desc id="%s-d">%s</desc>`, id, escapeText(title), id, escapeText(said))
}

// renderSVG draws the plot.
func (g plot) renderSVG() template.HTML {
	p := &svgWriter{}
	g.xAxis.minPixel, g.xAxis.maxPixel = leftMargin, plotWidth-rightMargin
	g.yAxis.minPixel, g.yAxis.maxPixel = plotHeight-bottomMargin, topMargin
	p.writeOpeningTag(g.id, g.title, g.description, plotHeight)
	g.writeAxes(p)
	for _, r := range g.verticalRules {
		x := g.xAxis.pixelOf(r.x)
		p.writef(`<path class="rule" d="M%s %sV%s"/>`, formatPixel(x), formatPixel(g.yAxis.minPixel), formatPixel(g.yAxis.maxPixel))
		p.writeText(x+4, g.yAxis.minPixel-6, "note", r.label)
	}
	for _, l := range g.lines {
		if len(l.points) > 0 {
			p.writef(`<path class="line %s" d="%s"><title>%s</title></path>`, styleClass(l.styleIndex), g.pathData(l.points), escapeText(l.label))
		}
	}
	for i, l := range g.lines { // over all lines
		g.writeNumber(p, l, i)
	}
	p.writef("</svg>")
	return template.HTML(p.String()) // every text in it went through escape
}

// writeNumber writes the number of a line on it, each line's at another place, so that lines are told apart
// without colours, too.
func (g plot) writeNumber(p *svgWriter, l line, i int) {
	if len(l.points) == 0 || len(g.lines) < 2 {
		return
	}
	pt := l.points[(len(l.points)-1)*(i+1)/(len(g.lines)+1)]
	p.writef(`<text x="%s" y="%s" class="number mid %s">%d</text>`, formatPixel(g.xAxis.pixelOf(pt.x)), formatPixel(g.yAxis.pixelOf(pt.y)+4), styleClass(l.styleIndex), l.styleIndex+1)
}

func (g plot) pathData(points []point) string {
	var d strings.Builder
	for i, pt := range points {
		verb := "L"
		if i == 0 {
			verb = "M"
		}
		fmt.Fprint(&d, verb, formatPixel(g.xAxis.pixelOf(pt.x)), " ", formatPixel(g.yAxis.pixelOf(pt.y)))
	}
	return d.String()
}

// writeAxes draws the axes with their ticks, labels and units.
func (g plot) writeAxes(p *svgWriter) {
	for _, t := range g.yAxis.ticks {
		y := g.yAxis.pixelOf(t)
		p.writef(`<path class="grid" d="M%s %sH%s"/>`, formatPixel(leftMargin), formatPixel(y), formatPixel(plotWidth-rightMargin))
		p.writeText(leftMargin-8, y+4, "tick end", g.yAxis.textOf(t))
	}
	for _, t := range g.xAxis.ticks {
		x := g.xAxis.pixelOf(t)
		p.writef(`<path class="grid" d="M%s %sV%s"/>`, formatPixel(x), formatPixel(g.yAxis.minPixel), formatPixel(g.yAxis.minPixel+5))
		anchor := "mid"
		if g.xAxis.tickText != nil && x > plotWidth-rightMargin-10 { // a word would run over the edge
			anchor = "end"
		}
		p.writeText(x, g.yAxis.minPixel+18, "tick "+anchor, g.xAxis.textOf(t))
	}
	p.writef(`<path class="axis" d="M%s %sV%sH%s"/>`, formatPixel(leftMargin), formatPixel(g.yAxis.maxPixel), formatPixel(g.yAxis.minPixel), formatPixel(plotWidth-rightMargin))
	p.writeText((leftMargin+plotWidth-rightMargin)/2, plotHeight-8, "label mid", g.xAxis.label)
	p.writef(`<text transform="translate(14 %s) rotate(-90)" class="label mid">%s</text>`,
		formatPixel((g.yAxis.minPixel+g.yAxis.maxPixel)/2), escapeText(g.yAxis.label))
}

// Policies are told apart by colour, dashes and number at once. The two counts have no common divisor, so
// that as many policies as their product look differently.
const colourCount, dashCount = 8, 5

// styleClass is the class of a policy's lines and areas.
func styleClass(i int) string { return fmt.Sprintf("c%d d%d", i%colourCount, i%dashCount) }

// DotRow is ratios in one row, such as those of one policy on several seeds; NaN is unknown.
type DotRow struct {
	Label  string
	Values []float64
}

// dotChart is rows of dots over a logarithmic axis about 1, with a mark at each row's median.
type dotChart struct {
	id, title, xLabel string
	rows              []DotRow
}

const dotRowHeight, dotRadius = 20.0, 4.0

// ratioTicks are the places at which an axis of ratios may have a tick, by their importance:
// one too near to another before it is left out.
var ratioTicks = []float64{1, 0.1, 10, 0.5, 2, 0.2, 5, 0.01, 100, 0.05, 20, 0.8, 1.25, 0.7, 1.5, 0.9, 1.1, 0.3, 3, 0.95, 1.05, 0.02, 50, 0.98, 1.02}

// minTickDistance is how far apart ticks of ratios are, in pixels.
const minTickDistance = 34.0

// newRatioAxis makes an axis on which all values have room, and 1.
func newRatioAxis(label string, rows []DotRow) axis {
	least, most := 0.95, 1.05
	for _, r := range rows {
		for _, v := range r.Values {
			if v > 0 && !math.IsInf(v, 1) {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	a := axis{label: label, isLogarithmic: true, minValue: least / 1.03, maxValue: most * 1.03, minPixel: barLabelWidth, maxPixel: plotWidth - rightMargin}
	for _, t := range ratioTicks {
		isNear := func(o float64) bool { return math.Abs(a.pixelOf(o)-a.pixelOf(t)) < minTickDistance }
		if t >= a.minValue && t <= a.maxValue && !slices.ContainsFunc(a.ticks, isNear) {
			a.ticks = append(a.ticks, t)
		}
	}
	return a
}

func (d dotChart) renderSVG() template.HTML {
	p := &svgWriter{}
	x := newRatioAxis(d.xLabel, d.rows)
	bottom := topMargin + float64(len(d.rows))*dotRowHeight
	p.writeOpeningTag(d.id, d.title, d.describe(), bottom+bottomMargin)
	for _, t := range x.ticks {
		class := "grid"
		if t == 1 {
			class = "rule"
		}
		p.writef(`<path class="%s" d="M%s %sV%s"/>`, class, formatPixel(x.pixelOf(t)), formatPixel(topMargin), formatPixel(bottom))
		p.writeText(x.pixelOf(t), bottom+16, "tick mid", formatTick(t))
	}
	for i, r := range d.rows {
		d.drawRow(p, x, r, i)
	}
	p.writeText((barLabelWidth+plotWidth-rightMargin)/2, bottom+bottomMargin-8, "label mid", x.label)
	p.writef("</svg>")
	return template.HTML(p.String()) // every text in it went through escape
}

func (d dotChart) drawRow(p *svgWriter, x axis, r DotRow, i int) {
	y := topMargin + (float64(i)+0.5)*dotRowHeight
	p.writeText(barLabelWidth-8, y+4, "tick end", printable.Truncate(r.Label, 16))
	known := knownRatios(r.Values)
	for _, v := range known {
		p.writef(`<circle class="dot" cx="%s" cy="%s" r="%s"><title>%s</title></circle>`, formatPixel(x.pixelOf(v)), formatPixel(y), formatPixel(dotRadius),
			escapeText(fmt.Sprintf("%s: %.3g", r.Label, v)))
	}
	if len(known) > 0 {
		p.writef(`<path class="median" d="M%s %sv%s"/>`, formatPixel(x.pixelOf(median(known))), formatPixel(y-dotRowHeight/2+2), formatPixel(dotRowHeight-4))
	}
}

// describe says in words what is drawn.
func (d dotChart) describe() string {
	var words []string
	for _, r := range d.rows {
		if known := knownRatios(r.Values); len(known) > 0 {
			words = append(words, fmt.Sprintf("%s %.3g, from %.3g to %.3g", r.Label, median(known), slices.Min(known), slices.Max(known)))
		}
	}
	return "Medians and ranges: " + strings.Join(words, "; ") + "."
}

func knownRatios(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 })
}
