package update

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/replica/sim"
)

// Reader reads the bodies of one request.
type Reader struct {
	APIVersion int            // version, 45 for v0.0.45
	Now        time.Time      // what "now" means
	TimeZone   *time.Location // of local times
}

// Warning is an entry of warnings[].
type Warning struct{ Text, Source string }

// Flaw is a value that cannot be read, and what slurmrestd answers.
type Flaw struct {
	Key         string
	ErrorNumber int // Slurm's error number
	HTTPStatus  int // of HTTP
}

// newUnreadableFlaw returns the flaw of a value of the wrong type.
func newUnreadableFlaw() *Flaw {
	return &Flaw{ErrorNumber: 9202, HTTPStatus: http.StatusInternalServerError}
}

// bodyUpdate is a body being read.
type bodyUpdate struct {
	Reader
	update   sim.JobUpdate
	warnings []Warning
}

func (u *bodyUpdate) addWarning(text, source string) {
	u.warnings = append(u.warnings, Warning{Text: text, Source: source})
}

// ReadFields reads a body as one object: its values by key.
func ReadFields(body []byte) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fmt.Errorf("reading the body: %w", err)
	}
	return fields, nil
}

// Read reads a body of v0.0.39 and later. Unknown keys are a warning and nothing
// more; the first value that cannot be read ends it.
func (r Reader) Read(fields map[string]json.RawMessage) (sim.JobUpdate, []Warning, *Flaw) {
	u := &bodyUpdate{Reader: r}
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		take := setterByKey[k]
		if take == nil || k == "step_id" && r.APIVersion < 44 {
			u.addWarning(fmt.Sprintf("Ignoring unknown field %q in DATA_PARSER_JOB_DESC_MSG", k), "#/"+k+"/")
			continue
		}
		if flaw := take(u, fields[k]); flaw != nil {
			flaw.Key = k
			return u.update, u.warnings, flaw
		}
	}
	return u.update, u.warnings, nil
}

// ParseTime reads "now", "now+60", "uts1767571200" and local ISO times.
func (r Reader) ParseTime(word string) (time.Time, bool) {
	if rest, ok := strings.CutPrefix(word, "now"); ok {
		if rest == "" {
			return r.Now, true
		}
		n, err := strconv.Atoi(strings.TrimPrefix(rest, "+"))
		return r.Now.Add(time.Duration(n) * time.Second), err == nil
	}
	if rest, ok := strings.CutPrefix(word, "uts"); ok {
		n, err := strconv.ParseInt(rest, 10, 64)
		return time.Unix(n, 0).UTC(), err == nil
	}
	t, err := time.ParseInLocation("2006-01-02T15:04:05", word, r.TimeZone)
	return t.UTC(), err == nil
}
