package evaluation

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/evaluation/targets"
)

// frontRow is one policy of a setting.
type frontRow struct {
	policy string
	values []targets.Value // of frontFigures
}

// frontWriter writes a table for each setting, by mean completion.
type frontWriter struct {
	settings []study.Setting
	rows     [][]frontRow // by setting
}

func newFrontWriter() sectionWriter { return &frontWriter{} }

// add implements sectionWriter.
func (f *frontWriter) add(w *comparedWorkload, b *study.PairedBlock) {
	var rows []frontRow
	for _, p := range w.choices {
		r := frontRow{policy: p.Label}
		for _, figure := range frontFigures {
			v := figure.Measure(b, p.Label)
			if p.Label == b.Baseline.PolicyLabel {
				v = figure.ValueOf(slices.Repeat([]float64{1}, len(b.Baseline.Pairs)))
			}
			r.values = append(r.values, v)
		}
		if hasEveryDay(b, r.values[0].SeedCount) {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(x, y frontRow) int { return cmp.Compare(x.values[0].Judged, y.values[0].Judged) })
	f.settings, f.rows = append(f.settings, b.Setting), append(f.rows, rows)
}

// write implements sectionWriter.
func (f *frontWriter) write(page *bytes.Buffer) {
	for i, rows := range f.rows {
		fmt.Fprintf(page, "\n### Mean completion against fairness: %s\n\n", f.settings[i])
		head := []string{"Policy", "Seeds", "On the front", "quartiles; geometric mean"}
		for _, figure := range slices.Backward(frontFigures) {
			head = slices.Insert(head, 2, figure.Title)
		}
		writeHeader(page, head...)
		for k := range rows {
			cells := []string{rows[k].policy, fmt.Sprint(rows[k].values[0].SeedCount)}
			for _, v := range rows[k].values {
				cells = append(cells, v.String())
			}
			writeRow(page, append(cells, describeFront(rows, k), rows[k].values[0].FormatSpread())...)
		}
	}
}

// describeFront says whether a policy is on the front, or which ones are better: "no: sjf, srtf".
// Slurm once more with another seed is no policy of its own.
func describeFront(rows []frontRow, index int) string {
	if rows[index].policy == chanceLabel {
		return "–"
	}
	var better []string
	for i := range rows {
		if rows[i].policy != chanceLabel && rows[i].dominates(&rows[index]) {
			better = append(better, rows[i].policy)
		}
	}
	if len(better) == 0 {
		return "**yes**"
	}
	return "no: " + strings.Join(better, ", ")
}

// dominates reports whether a policy is at least as good as another by mean completion and by the
// worst account, and better by one of them, as they are printed.
func (r *frontRow) dominates(other *frontRow) bool {
	isBetter := false
	for k := range 2 {
		mine, theirs := r.values[k].Shown(), other.values[k].Shown()
		if mine > theirs {
			return false
		}
		isBetter = isBetter || mine < theirs
	}
	return isBetter
}
