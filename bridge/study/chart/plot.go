package chart

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"fairbridge/bridge/plain"
)

// The drawing, in units of the picture's own: it grows with the page.
const (
	width, height                                    = 760.0, 340.0
	leftMargin, rightMargin, topMargin, bottomMargin = 62.0, 16.0, 14.0, 48.0
)

// line is one policy in a plot.
type line struct {
	label  string
	style  int
	points []point
}

// rule is a straight line that means something.
type rule struct {
	x     float64
	label string
}

// escape makes a text, whoever wrote it, harmless in a page.
func escape(s string) string { return html.EscapeString(plain.Text(s)) }

// plot is lines over two axes.
type plot struct {
	id, title, description string // description: what it shows, in words
	x, y                   axis
	lines                  []line
	rules                  []rule
}

// picture writes elements of SVG.
type picture struct{ strings.Builder }

func (p *picture) writef(format string, a ...any) { fmt.Fprintf(p, format+"\n", a...) }

func (p *picture) text(x, y float64, class, s string) {
	p.writef(`<text x="%s" y="%s" class="%s">%s</text>`, pixel(x), pixel(y), class, escape(s))
}

func (p *picture) begin(id, title, said string, height float64) {
	p.writef(`<svg viewBox="0 0 %s %s" role="img" aria-labelledby="%s-t %s-d">`, pixel(width), pixel(height), id, id)
	p.writef(`<title id="%s-t">%s</title><desc id="%s-d">%s</desc>`, id, escape(title), id, escape(said))
}

// svg draws the plot.
func (g plot) svg() template.HTML {
	p := &picture{}
	g.x.low, g.x.top = leftMargin, width-rightMargin
	g.y.low, g.y.top = height-bottomMargin, topMargin
	p.begin(g.id, g.title, g.description, height)
	g.grid(p)
	for _, r := range g.rules {
		x := g.x.at(r.x)
		p.writef(`<path class="rule" d="M%s %sV%s"/>`, pixel(x), pixel(g.y.low), pixel(g.y.top))
		p.text(x+4, g.y.low-6, "note", r.label)
	}
	for _, l := range g.lines {
		if len(l.points) > 0 {
			p.writef(`<path class="line %s" d="%s"><title>%s</title></path>`, styleClass(l.style), g.path(l.points), escape(l.label))
		}
	}
	p.writef("</svg>")
	return template.HTML(p.String()) // every text in it went through escape
}

func (g plot) path(points []point) string {
	var d strings.Builder
	for i, pt := range points {
		verb := "L"
		if i == 0 {
			verb = "M"
		}
		fmt.Fprint(&d, verb, pixel(g.x.at(pt.x)), " ", pixel(g.y.at(pt.y)))
	}
	return d.String()
}

// grid draws the axes with their ticks, labels and units.
func (g plot) grid(p *picture) {
	for _, t := range g.y.ticks {
		y := g.y.at(t)
		p.writef(`<path class="grid" d="M%s %sH%s"/>`, pixel(leftMargin), pixel(y), pixel(width-rightMargin))
		p.text(leftMargin-8, y+4, "tick end", number(t))
	}
	for _, t := range g.x.ticks {
		x := g.x.at(t)
		p.writef(`<path class="grid" d="M%s %sV%s"/>`, pixel(x), pixel(g.y.low), pixel(g.y.low+5))
		p.text(x, g.y.low+18, "tick mid", number(t))
	}
	p.writef(`<path class="axis" d="M%s %sV%sH%s"/>`, pixel(leftMargin), pixel(g.y.top), pixel(g.y.low), pixel(width-rightMargin))
	p.text((leftMargin+width-rightMargin)/2, height-8, "label mid", g.x.label)
	p.writef(`<text transform="translate(14 %s) rotate(-90)" class="label mid">%s</text>`,
		pixel((g.y.low+g.y.top)/2), escape(g.y.label))
}

// Policies are told apart by colour, and from the ninth on by dashes too.
const colours, dashes = 8, 3

// styleClass is the class of a policy's lines and areas.
func styleClass(i int) string { return fmt.Sprintf("c%d d%d", i%colours, i/colours%dashes) }
