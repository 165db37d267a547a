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

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// PlainFlaw is why 22.05 does not take a body.
type PlainFlaw struct {
	Key          string
	IsUnknownKey bool // the key is; otherwise its value cannot be read
	WantsInteger bool // a whole number was wanted
}

// ReadPlain reads a body as 22.05 does: plain values and strings. One unknown key or
// value that cannot be read, and there is no update.
func (r Reader) ReadPlain(fields map[string]json.RawMessage) (sim.JobUpdate, *PlainFlaw) {
	u := &bodyUpdate{Reader: r}
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		switch take := plainSetterByKey[k]; {
		case take == nil:
			return u.update, &PlainFlaw{Key: k, IsUnknownKey: true}
		case !take(u, fields[k]):
			return u.update, &PlainFlaw{Key: k, WantsInteger: k == "nice" || k == "priority" || k == "time_limit"}
		}
	}
	return u.update, nil
}

// plainSetter puts the value of one key into the update, and reports whether it
// can be read.
type plainSetter func(*bodyUpdate, json.RawMessage) bool

// plainSetterByKey has the keys 22.05 knows, as far as we need them.
var plainSetterByKey = map[string]plainSetter{
	"name":          newPlainTextSetter(func(*sim.JobUpdate) **string { return new(*string) }), // cannot be changed
	"qos":           newPlainTextSetter(func(u *sim.JobUpdate) **string { return &u.QOS }),
	"partition":     newPlainTextSetter(func(u *sim.JobUpdate) **string { return &u.Partition }),
	"account":       newPlainTextSetter(func(u *sim.JobUpdate) **string { return &u.Account }),
	"constraint":    newPlainTextSetter(func(u *sim.JobUpdate) **string { return &u.Features }),
	"constraints":   newPlainTextSetter(func(u *sim.JobUpdate) **string { return &u.Features }),
	"comment":       newPlainTextSetter(func(u *sim.JobUpdate) **string { return &u.Comment }),
	"nodelist":      newPlainHostsSetter(func(u *sim.JobUpdate) **[]string { return &u.RequiredNodes }),
	"node_list":     newPlainHostsSetter(func(u *sim.JobUpdate) **[]string { return &u.RequiredNodes }),
	"exclude_nodes": newPlainHostsSetter(func(u *sim.JobUpdate) **[]string { return &u.ExcludedNodes }),
	"nice":          newPlainNumberSetter(func(u *sim.JobUpdate, n int64) { u.Nice = &n }),
	"priority":      newPlainNumberSetter(func(u *sim.JobUpdate, n int64) { u.Priority = &n }),
	"time_limit":    newPlainNumberSetter(func(u *sim.JobUpdate, n int64) { u.TimeLimit = sim.Ptr(time.Duration(n) * time.Minute) }),
	"hold":          newPlainBoolSetter(func(u *sim.JobUpdate, v bool) { u.Hold = &v }),
	"requeue":       newPlainBoolSetter(func(u *sim.JobUpdate, v bool) { u.MayRequeue = &v }),
	"no_requeue":    newPlainBoolSetter(func(u *sim.JobUpdate, v bool) { u.NoRequeue = v }),
	"begin_time":    setPlainBeginTime,
	"gres":          newPlainGPUsSetter(false),
	"gpus":          newPlainGPUsSetter(true),
	"gpus_per_node": newPlainGPUsSetter(false),
}

func newPlainTextSetter(to func(*sim.JobUpdate) **string) plainSetter {
	return func(u *bodyUpdate, raw json.RawMessage) bool {
		v, ok := parseText(raw)
		*to(&u.update) = &v
		return ok
	}
}

// newPlainHostsSetter reads a hostlist in one string; null clears like "".
func newPlainHostsSetter(to func(*sim.JobUpdate) **[]string) plainSetter {
	return func(u *bodyUpdate, raw json.RawMessage) bool {
		v, ok := parseText(raw)
		ok = ok || string(raw) == "null"
		list, err := slurm.ExpandHosts(v)
		if list == nil {
			list = []string{}
		}
		*to(&u.update) = &list
		return ok && err == nil
	}
}

func newPlainNumberSetter(set func(*sim.JobUpdate, int64)) plainSetter {
	return func(u *bodyUpdate, raw json.RawMessage) bool {
		n, v := parseNumber(raw)
		if v != valueGiven || raw[0] == '{' {
			return false
		}
		set(&u.update, n)
		return true
	}
}

func newPlainBoolSetter(set func(*sim.JobUpdate, bool)) plainSetter {
	return func(u *bodyUpdate, raw json.RawMessage) bool {
		v, ok := parseBool(raw)
		if ok {
			set(&u.update, v)
		}
		return ok
	}
}

func setPlainBeginTime(u *bodyUpdate, raw json.RawMessage) bool {
	word, ok := parseText(raw)
	t, readable := u.ParseTime(word)
	u.update.BeginTime = &t
	return ok && readable
}

// newPlainGPUsSetter is newGPUsSetter for 22.05.
func newPlainGPUsSetter(perJob bool) func(*bodyUpdate, json.RawMessage) bool {
	return func(u *bodyUpdate, raw json.RawMessage) bool {
		word, ok := parseText(raw)
		kind, n, readable := parseGPUs(word, true)
		u.update.GPUs, u.update.GPUType, u.update.GPUsArePerJob = &n, kind, &perJob
		return ok && readable
	}
}

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
