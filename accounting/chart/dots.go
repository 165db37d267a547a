package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"fairbridge/bridge/printable"
)

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
