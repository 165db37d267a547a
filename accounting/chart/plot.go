package chart

import (
	"fmt"
	"html"
	"html/template"
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
