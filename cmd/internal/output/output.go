// Package output prints what commands answer: tables, times and counts as people read
// them, or JSON.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"fairbridge/bridge/slurm"
)

// WriteJSON prints a value for programs.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("printing JSON: %w", err)
	}
	return nil
}

// FormatAge prints how long ago something was, or "–" when it never was.
func FormatAge(now, t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return FormatDuration(now.Sub(t))
}

// FormatDuration prints a duration as people say it: 45s, 12m, 3h20m, 2d4h.
func FormatDuration(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
}

// FormatTime prints a moment in local time: without the date when it is less than
// half a day away.
func FormatTime(t, now time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case now.Sub(t).Abs() < 12*time.Hour:
		return t.Local().Format(time.TimeOnly)
	}
	return t.Local().Format("2006-01-02 15:04")
}

// FormatEdit prints an edit with its times as FormatTime does.
func FormatEdit(e slurm.Edit, now time.Time) string {
	if f, _ := e.Kind.Form(); f.HasUntil {
		return fmt.Sprintf("%s job %v until %s", e.Kind, e.Run, FormatTime(e.Until, now))
	}
	return e.String()
}

// FormatCount prints "1 job", "2 jobs".
func FormatCount(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
