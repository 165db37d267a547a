package searchcommand

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/study/fluid"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy/paper"
)

// answer is what a search found.
type answer struct {
	Jobs    string           `json:"jobs"` // in words
	MostJCT float64          `json:"most_jct"`
	Chosen  paper.Params     `json:"chosen"` // null: no settings are fast enough
	Front   []fluid.Settings `json:"front"`
	Tried   []fluid.Settings `json:"tried"`
}

// newAnswer chooses among settings that were tried, by JCTOverSRSF.
func newAnswer(tried []fluid.Settings, mostJCT float64) *answer {
	a := &answer{MostJCT: mostJCT, Front: fluid.Front(tried), Tried: tried}
	a.Chosen, _ = fluid.MostPredictable([][]fluid.Settings{tried}, mostJCT)
	return a
}

func (a *answer) print(w io.Writer, isComplete bool) {
	said := "those of %d settings than which no other has both a lower mean completion and a\nlower mean error, and those that are chosen"
	if isComplete {
		said = "all of %d settings"
	}
	printable.Fprintf(w, "On %s; "+said+":\n\n", a.Jobs, len(a.Tried))
	a.printSettings(w, isComplete)
	printable.Fprintf(w, "\nCompletion is the mean over that of SRSF (shortest remaining service first); errors are\nparts of the completion time that was predicted on arrival.\n\n")
	if a.Chosen == nil {
		printable.Fprintf(w, "No settings have at most %g times the mean completion of SRSF: allow more by --most-jct.\n", a.MostJCT)
		return
	}
	printable.Fprintf(w, "Of those with at most %g times the mean completion of SRSF these have the least 99 %%\nerror. In the configuration, of the partition:\n\n    policy: pcs\n    params: {%s}\n", a.MostJCT, formatParams(a.Chosen))
}

// printSettings prints the table: the front and the chosen, or all.
func (a *answer) printSettings(w io.Writer, isComplete bool) {
	t := output.NewTable(w, "COMPLETION", "MEAN ERROR", "99 % ERROR", "SETTINGS", "")
	for i, next := 0, 0; i < len(a.Tried); i++ {
		s, mark := &a.Tried[i], ""
		isOnFront := next < len(a.Front) && reflect.DeepEqual(s.Params, a.Front[next].Params)
		if isOnFront {
			next++
		}
		if reflect.DeepEqual(s.Params, a.Chosen) {
			mark = "chosen"
		}
		if isOnFront || isComplete || mark != "" {
			t.AddRow(fmt.Sprintf("%.3f", s.JCTOverSRSF), formatPercent(s.MeanError), formatPercent(s.P99Error), formatParams(s.Params), mark)
		}
	}
	t.Print()
}

func formatPercent(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }

// formatParams writes settings as the configuration has them.
func formatParams(p paper.Params) string {
	list := func(key string) string {
		var parts []string
		for _, v := range p[key].([]float64) {
			parts = append(parts, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("load: [%s], shares: [%s], clip: %g", list("load"), list("shares"), p["clip"])
}
