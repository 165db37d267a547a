package actions

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fairbridge/api"
	"fairbridge/bridge"
)

const (
	// maxWhyLength is how many characters a reason may have.
	maxWhyLength = 500
	// maxDuration is how far away the end of an action may be.
	maxDuration = 366 * 24 * time.Hour
	// maxNameLength bounds names and addresses, which are compared with what there is.
	maxNameLength = 256
)

// fieldsByKind are the fields that a request of each kind may have, besides why: those
// before the colon it must have.
var fieldsByKind = map[api.ActionKind]struct{ needed, allowed []string }{
	api.ActionStop:       {nil, []string{"until"}},
	api.ActionResume:     {nil, []string{"job"}},
	api.ActionMode:       {[]string{"partition", "mode"}, []string{"until"}},
	api.ActionReleaseJob: {[]string{"job"}, []string{"until"}},
	api.ActionUndo:       {[]string{"change"}, []string{"until"}},
}

// checkRequest says what of the request makes no sense, whatever there is to act on. It trims texts.
func checkRequest(r *api.ActionRequest, now time.Time) error {
	fields, ok := fieldsByKind[r.Kind]
	if !ok {
		return badRequest("kind: %q is not one of stop, resume, mode, release_job, undo", limited(string(r.Kind)))
	}
	given := map[string]bool{"partition": r.Partition != "", "mode": r.Mode != "", "job": r.Job != "", "change": r.Change != 0, "until": !r.Until.IsZero()}
	for _, name := range []string{"partition", "mode", "job", "change", "until"} {
		isNeeded := slices.Contains(fields.needed, name)
		switch {
		case isNeeded && !given[name]:
			return badRequest("%s is missing: %s needs it", name, r.Kind)
		case given[name] && !isNeeded && !slices.Contains(fields.allowed, name):
			return badRequest("%s means nothing with %s", name, r.Kind)
		}
	}
	return checkValues(r, now)
}

// checkValues looks at the fields one by one.
func checkValues(r *api.ActionRequest, now time.Time) error {
	r.Why, r.Job = strings.TrimSpace(r.Why), strings.TrimSpace(r.Job)
	r.Until = r.Until.UTC().Truncate(time.Second)
	switch {
	case r.Why == "":
		return badRequest("why is missing: say for whoever asks later why this is done")
	case utf8.RuneCountInString(r.Why) > maxWhyLength:
		return badRequest("why has %d characters, at most %d", utf8.RuneCountInString(r.Why), maxWhyLength)
	case !isPlainText(r.Why) || !isPlainText(r.Partition) || !isPlainText(r.Job):
		return badRequest("why, partition and job are one line of printable text each")
	case len(r.Partition) > maxNameLength || len(r.Job) > maxNameLength:
		return badRequest("no partition and no job has a name that long")
	case r.Mode != "" && !slices.Contains(bridge.Modes, r.Mode):
		return badRequest("mode: %q is not one of observe, rank, steer, preempt, elastic", limited(string(r.Mode)))
	case r.Mode == bridge.ModeOff:
		return badRequest("mode: off is for the configuration; observe sends nothing either, and still says what would be done")
	case r.Change < 0:
		return badRequest("change: %d is not the id of a change", r.Change)
	case !r.Until.IsZero() && !r.Until.After(now):
		return badRequest("until: %s has passed; it is %s now", bridge.FormatUTC(r.Until), bridge.FormatUTC(now))
	case r.Until.Sub(now) > maxDuration:
		return badRequest("until: %s is more than a year away; left out, a stop and a mode stand until somebody ends them", bridge.FormatUTC(r.Until))
	}
	return nil
}

func isPlainText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) })
}

// limited is a text of somebody's as far as an error shows it.
func limited(s string) string {
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return strings.ToValidUTF8(s, "?")
}
