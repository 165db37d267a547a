package chart

import (
	"fmt"
	"html/template"
)

// bar is one policy's value for one account.
type bar struct {
	label string
	style int
	value float64
}

// group is an account with a bar a policy.
type group struct {
	name string
	due  float64 // its weight's share; 0: not drawn
	bars []bar
}

// bars is a chart of groups below each other, as wide as their values.
type bars struct {
	id, title, description string
	x                      axis
	groups                 []group
	text                   func(float64) string // prints a value; nil: as percent
}

const barHeight, groupGap, barsLeft = 11.0, 16.0, 120.0

func (b bars) svg() template.HTML {
	p := &picture{}
	tall := topMargin + bottomMargin
	for _, g := range b.groups {
		tall += float64(len(g.bars))*barHeight + groupGap
	}
	b.x.low, b.x.top = barsLeft, width-rightMargin-30
	p.begin(b.id, b.title, b.description, tall)
	for _, t := range b.x.ticks {
		x := b.x.at(t)
		p.writef(`<path class="grid" d="M%s %sV%s"/>`, pixel(x), pixel(topMargin), pixel(tall-bottomMargin))
		p.text(x, tall-bottomMargin+16, "tick mid", number(t))
	}
	y := topMargin
	for _, g := range b.groups {
		b.group(p, g, y)
		y += float64(len(g.bars))*barHeight + groupGap
	}
	p.text((barsLeft+width-rightMargin)/2, tall-8, "label mid", b.x.label)
	p.writef("</svg>")
	return template.HTML(p.String()) // every text in it went through escape
}

func (b bars) group(p *picture, g group, y float64) {
	deep := float64(len(g.bars)) * barHeight
	p.text(barsLeft-8, y+deep/2+4, "tick end", g.name)
	for i, r := range g.bars {
		top, end := y+float64(i)*barHeight, b.x.at(r.value)
		p.writef(`<rect class="bar %s" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`, styleClass(r.style), pixel(b.x.low),
			pixel(top), pixel(end-b.x.low), pixel(barHeight-2), escape(r.label+": "+b.print(r.value)))
	}
	if g.due > 0 {
		p.writef(`<path class="rule" d="M%s %sv%s"/>`, pixel(b.x.at(g.due)), pixel(y-3), pixel(deep+4))
	}
}

func (b bars) print(v float64) string {
	if b.text == nil {
		return fmt.Sprintf("%.1f %%", v)
	}
	return b.text(v)
}
