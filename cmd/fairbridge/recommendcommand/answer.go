package recommendcommand

import (
	"fmt"
	"io"
	"strings"
	"time"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/study/nodeneed"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

// answer is what is recommended, and what it would have brought.
type answer struct {
	Now   []nodeneed.Advice `json:"now"` // null: nothing is known of now
	Past  []nodeneed.Saving `json:"past"`
	ahead time.Duration
}

func (a *answer) print(w io.Writer) {
	if len(a.Now) > 0 {
		printable.Fprintf(w, "Could be off for the next %s (nothing is switched by this):\n\n", policy.FormatDuration(a.ahead))
		t := output.NewTable(w, "GPUS", "NODES", "NEEDED", "EXPECTED AT MOST", "COULD BE OFF")
		for _, x := range a.Now {
			t.AddRow(x.Group, x.Total, x.Needed, fmt.Sprintf("%.1f", x.Expected), nodeList(x.Off))
		}
		t.Print()
		printable.Fprintf(w, "\n")
	}
	printable.Fprintf(w, "The same rules on the past:\n\n")
	t := output.NewTable(w, "GPUS", "NODES", "DAYS", "IDLE NODE-HOURS", "OFF", "WAKE-UPS A DAY", "STARTS THAT WAIT FOR A BOOT")
	for _, x := range a.Past {
		t.AddRow(x.Group, x.Nodes, fmt.Sprintf("%.1f", x.Days), fmt.Sprintf("%.0f", x.IdleNodeHours), percent(x.OffNodeHours, x.IdleNodeHours),
			fmt.Sprintf("%.1f", float64(x.WakeUps)/max(x.Days, 1)), fmt.Sprintf("%d of %d", x.LateStarts, x.Starts))
	}
	t.Print()
}

func percent(part, of float64) string { return fmt.Sprintf("%.0f %%", 100*part/max(of, 1)) }

func nodeList(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ",")
}
