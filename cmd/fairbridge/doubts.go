package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/settings"
)

// daemonState is who leads and why nothing is sent, as the daemon last said.
type daemonState struct {
	Leader *journal.Leader         `json:"leader"` // null: none ever led
	Doubts []journal.RecordedDoubt `json:"in_doubt,omitempty"`
	maxAge time.Duration           // of what it says, beyond which it may not run
}

func readDaemonState(ctx context.Context, db *stores.Stores, f *settings.File) (s daemonState, err error) {
	s.maxAge = f.MaxCycleAge()
	if s.Leader, err = db.ReadLeader(ctx, f.Cluster); err != nil {
		return s, err
	}
	s.Doubts, err = db.Doubts(ctx, f.Cluster)
	return s, err
}

// doubtTexts says why nothing is sent, a sentence for each cause.
func (s *daemonState) doubtTexts(now time.Time) (texts []string) {
	for _, d := range s.Doubts {
		text := fmt.Sprintf("fairbridge is in doubt since %s, because (%s) %s", output.FormatTime(d.Since, now), d.Cause, d.Why)
		if now.Sub(d.At) > s.maxAge {
			text += fmt.Sprintf(". Its last cycle was %s ago: is the daemon running? systemctl status fairbridge", output.FormatAge(now, d.At))
		}
		texts = append(texts, text)
	}
	return texts
}

// withoutDoubts leaves out reasons that a doubt says already.
func (s *daemonState) withoutDoubts(reasons []string) []string {
	return slices.DeleteFunc(slices.Clone(reasons), func(why string) bool {
		return slices.ContainsFunc(s.Doubts, func(d journal.RecordedDoubt) bool { return d.Why == why })
	})
}

// leaderText says which daemon leads.
func (s *daemonState) leaderText(now time.Time) string {
	switch l := s.Leader; {
	case l == nil:
		return "No daemon has led this cluster yet: nothing is sent until fairbridge run does."
	case !l.Leads:
		return fmt.Sprintf("No daemon leads: %s was the last, until %s. Nothing is sent until one does.", l.Daemon, output.FormatTime(l.Until, now))
	}
	return fmt.Sprintf("The daemon that leads is %s, since %s.", s.Leader.Daemon, output.FormatTime(s.Leader.Since, now))
}

func (s *daemonState) printDoubts(w io.Writer, now time.Time) {
	for _, text := range s.doubtTexts(now) {
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "", text)
	}
}
