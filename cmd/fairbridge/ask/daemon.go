package ask

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

// askTheHost is what to try where the record is read: nobody knows then whether a daemon runs.
const askTheHost = "is the daemon running? systemctl status fairbridge"

// whyNoCycle says why there is no newer cycle, as far as is known. Where it is not read from the record a daemon
// has just answered, so that one runs.
func whyNoCycle(isLocal bool, s *api.DaemonState) string {
	switch {
	case isLocal:
		return askTheHost
	case len(s.Doubts) > 0:
		return "fairbridge is in doubt, because " + s.Doubts[0].Why
	case s.RecordError != "":
		return "the daemon answers, but cannot ask its database"
	case s.Leader == nil || !s.Leader.Leads:
		return "the daemon answers, but none leads"
	}
	return "the daemon answers, but ended none; tell your administrators"
}

// DaemonStateOf asks how fairbridge is, of answers that do not say so themselves: for what is old only.
func DaemonStateOf(ctx context.Context, s source.Source, isStale bool) *api.DaemonState {
	if isStale && !source.ReadsRecord(s) {
		if p, err := s.Policies(ctx); err == nil {
			return &p.Daemon
		}
	}
	return &api.DaemonState{}
}

// doubtTexts says why nothing is sent, a sentence for each cause.
func doubtTexts(isLocal bool, s *api.DaemonState, now time.Time) (texts []string) {
	for _, d := range s.Doubts {
		text := fmt.Sprintf("fairbridge is in doubt since %s, because (%s) %s", output.FormatTime(d.Since, now), d.Cause, d.Why)
		if s.MaxAge > 0 && now.Sub(d.At) > s.MaxAge {
			text += fmt.Sprintf(". Its last cycle was %s ago: ", output.FormatAge(now, d.At))
			if isLocal {
				text += askTheHost
			} else {
				text += "the daemon that led may not run any more; tell your administrators"
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// withoutDoubts leaves out reasons that a doubt says already.
func withoutDoubts(s *api.DaemonState, reasons []string) []string {
	return slices.DeleteFunc(slices.Clone(reasons), func(why string) bool {
		return slices.ContainsFunc(s.Doubts, func(d journal.RecordedDoubt) bool { return d.Why == why })
	})
}

// LeaderText says which daemon leads.
func LeaderText(s *api.DaemonState, now time.Time) string {
	switch l := s.Leader; {
	case l == nil:
		return "No daemon has led this cluster yet: nothing is sent until fairbridge run does."
	case !l.Leads:
		return fmt.Sprintf("No daemon leads: %s was the last, until %s. Nothing is sent until one does.", l.Daemon, output.FormatTime(l.Until, now))
	}
	return fmt.Sprintf("The daemon that leads is %s, since %s.", s.Leader.Daemon, output.FormatTime(s.Leader.Since, now))
}

// PrintDoubts says why nothing is sent, where that is so; isLocal: the record was read, and no daemon asked.
func PrintDoubts(w io.Writer, isLocal bool, s *api.DaemonState, now time.Time) {
	for _, text := range doubtTexts(isLocal, s, now) {
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "", text)
	}
	if s.RecordError != "" {
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "", "The database could not be asked, so that this is from the daemon's memory: "+s.RecordError)
	}
}

// GPUsText prints the GPUs of a job, and of an array that waits unsplit how they come about:
// "12 (6x2)".
func GPUsText(gpus, tasks int) string {
	if tasks < 2 {
		return fmt.Sprint(gpus)
	}
	return fmt.Sprintf("%d (%dx%d)", gpus, tasks, gpus/tasks)
}

// asOfText says how old a picture of the cluster is, and where it is old why.
func asOfText(at time.Time, isStale bool, why string, now time.Time) string {
	switch {
	case at.IsZero():
		return "No cycle is stored yet: " + why
	case isStale:
		return fmt.Sprintf("As of %s, %s ago. No cycle since: %s", output.FormatTime(at, now), output.FormatAge(now, at), why)
	}
	return fmt.Sprintf("As of %s, %s ago.", output.FormatTime(at, now), output.FormatAge(now, at))
}
