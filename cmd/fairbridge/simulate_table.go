package main

import (
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"fairbridge/bridge/study/trial"
)

// newNumbers is a table whose columns are figures, but for the first.
func newNumbers(w io.Writer, head ...any) *sheet {
	s := newTable(w, head...)
	s.width = 0 // figures are never wrapped
	var right []table.ColumnConfig
	for i := 1; i < len(head); i++ {
		right = append(right, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	s.SetColumnConfigs(right)
	s.Style().Format.Header = text.FormatDefault // ρ stays ρ
	return s
}

// wideEnough is the width from which a terminal shows all figures.
const wideEnough = 132

// visible are the figures there is room for. Those of several runs need more.
func visible(w io.Writer, runs int) []*trial.Figure {
	width := widthOf(w)
	all := runs == 1 && (width == 0 || width >= wideEnough)
	var list []*trial.Figure
	for i := range trial.Figures {
		if f := &trial.Figures[i]; all || f.Core {
			list = append(list, f)
		}
	}
	return list
}

// heads are the columns of a table of figures.
func heads(figures []*trial.Figure) []any {
	head := []any{"POLICY"}
	for _, f := range figures {
		head = append(head, f.Head)
	}
	return head
}

// legend explains the columns.
const legend = `Times in seconds; JCT: from arrival to completion; QUEUE: the part of it not running;
ρ: JCT over what an equal part of the cluster would have needed; UNFAIR: jobs with ρ > 1.05;
LOST: GPU-hours without progress; JAIN: equality of the accounts' service by weight;
SLOWDOWN: JCT over run time (of 10 s at least), in the mean, and of the WORST ACCount;
WALL: time the simulation took.`
