package chart

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
)

// bar is one policy's value for one account.
type bar struct {
	label      string
	styleIndex int
	value      float64
}

// barGroup is an account with a bar for each policy.
type barGroup struct {
	name          string
	entitledShare float64 // its weight's share; 0: not drawn
	bars          []bar
}

// barChart is a chart of groups of bars below each other, as wide as their values.
type barChart struct {
	id, title, description string
	xAxis                  axis
	groups                 []barGroup
	formatValue            func(float64) string // prints a value; nil: as percent
}

// valueWidth is the room right of the longest bar for its value.
const valueWidth = 60.0

const barHeight, groupGap, barLabelWidth = 11.0, 16.0, 120.0

func (b barChart) renderSVG() template.HTML {
	p := &svgWriter{}
	tall := topMargin + bottomMargin
	for _, g := range b.groups {
		tall += float64(len(g.bars))*barHeight + groupGap
	}
	b.xAxis.minPixel, b.xAxis.maxPixel = barLabelWidth, plotWidth-rightMargin-valueWidth
	p.writeOpeningTag(b.id, b.title, b.description, tall)
	for _, t := range b.xAxis.ticks {
		x := b.xAxis.pixelOf(t)
		p.writef(`<path class="grid" d="M%s %sV%s"/>`, formatPixel(x), formatPixel(topMargin), formatPixel(tall-bottomMargin))
		p.writeText(x, tall-bottomMargin+16, "tick mid", formatTick(t))
	}
	y := topMargin
	for _, g := range b.groups {
		b.drawGroup(p, g, y)
		y += float64(len(g.bars))*barHeight + groupGap
	}
	p.writeText((barLabelWidth+plotWidth-rightMargin)/2, tall-8, "label mid", b.xAxis.label)
	p.writef("</svg>")
	return template.HTML(p.String()) // every text in it went through escape
}

func (b barChart) drawGroup(p *svgWriter, g barGroup, y float64) {
	deep := float64(len(g.bars)) * barHeight
	p.writeText(barLabelWidth-8, y+deep/2+4, "tick end", g.name)
	for i, r := range g.bars {
		top, end := y+float64(i)*barHeight, b.xAxis.pixelOf(r.value)
		p.writef(`<rect class="bar %s" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`, styleClass(r.styleIndex), formatPixel(b.xAxis.minPixel),
			formatPixel(top), formatPixel(end-b.xAxis.minPixel), formatPixel(barHeight-2), escapeText(r.label+": "+b.valueText(r.value)))
		p.writeText(end+4, top+barHeight-2.5, "value", b.valueText(r.value)+b.numberText(r, len(g.bars)))
	}
	if g.entitledShare > 0 {
		p.writef(`<path class="rule" d="M%s %sv%s"/>`, formatPixel(b.xAxis.pixelOf(g.entitledShare)), formatPixel(y-3), formatPixel(deep+4))
	}
}

// numberText is the number of a bar's policy or column, where there are several.
func (b barChart) numberText(r bar, count int) string {
	if count < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d)", r.styleIndex+1)
}

func (b barChart) valueText(v float64) string {
	if b.formatValue == nil {
		return fmt.Sprintf("%.1f %%", v)
	}
	return b.formatValue(v)
}

// newAccountGroups puts the shares of the policies together by account, in percent.
func (p ComparisonPage) newAccountGroups(names []string, shares []map[string]float64) []barGroup {
	weights := 0.0
	for _, name := range slices.Sorted(maps.Keys(p.WeightsByAccount)) {
		weights += p.WeightsByAccount[name]
	}
	var all []barGroup
	for _, name := range names {
		g := barGroup{name: name}
		if weights > 0 {
			g.entitledShare = 100 * p.WeightsByAccount[name] / weights
		}
		for i, pol := range p.Policies {
			g.bars = append(g.bars, bar{pol.Label, i, 100 * shares[i][name]})
		}
		all = append(all, g)
	}
	return all
}

// largestShare is the greatest value, as a fraction.
func largestShare(groups []barGroup) float64 {
	most := 0.0
	for _, g := range groups {
		most = max(most, g.entitledShare)
		for _, b := range g.bars {
			most = max(most, b.value)
		}
	}
	return most / 100
}

func describeShares(groups []barGroup) string {
	var all []string
	for _, g := range groups {
		s := "Account " + g.name
		if g.entitledShare > 0 {
			s += fmt.Sprintf(", due %.1f %%", g.entitledShare)
		}
		for _, b := range g.bars {
			s += fmt.Sprintf("; %s %.1f %%", b.label, b.value)
		}
		all = append(all, s+".")
	}
	return strings.Join(all, " ")
}
