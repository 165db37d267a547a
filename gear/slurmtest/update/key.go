package update

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// keySetter puts the value of one key into the update.
type keySetter func(*bodyUpdate, json.RawMessage) *Flaw

// setterByKey has the keys that mean something to v0.0.39 and later.
var setterByKey = map[string]keySetter{
	"name":           newTextSetter(func(u *sim.JobUpdate) **string { return &u.Name }),
	"qos":            newTextSetter(func(u *sim.JobUpdate) **string { return &u.QOS }),
	"partition":      newTextSetter(func(u *sim.JobUpdate) **string { return &u.Partition }),
	"account":        newTextSetter(func(u *sim.JobUpdate) **string { return &u.Account }),
	"constraints":    newTextSetter(func(u *sim.JobUpdate) **string { return &u.Features }),
	"comment":        newTextSetter(func(u *sim.JobUpdate) **string { return &u.Comment }),
	"extra":          newTextSetter(func(u *sim.JobUpdate) **string { return &u.Extra }),
	"admin_comment":  newTextSetter(func(u *sim.JobUpdate) **string { return &u.AdminComment }),
	"hold":           newBoolSetter(func(u *sim.JobUpdate) **bool { return &u.Hold }),
	"requeue":        newBoolSetter(func(u *sim.JobUpdate) **bool { return &u.MayRequeue }),
	"required_nodes": newHostsSetter(func(u *sim.JobUpdate) **[]string { return &u.RequiredNodes }),
	"excluded_nodes": newHostsSetter(func(u *sim.JobUpdate) **[]string { return &u.ExcludedNodes }),
	"nice":           setNice,
	"priority":       setPriority,
	"site_factor":    setSiteFactor,
	"begin_time":     setBeginTime,
	"time_limit":     setTimeLimit,
	"tres_per_node":  newGPUsSetter(false),
	"tres_per_job":   newGPUsSetter(true),
	"step_id":        setRunSLUID,
	"job_id":         func(*bodyUpdate, json.RawMessage) *Flaw { return nil },
}

func newTextSetter(to func(*sim.JobUpdate) **string) keySetter {
	return func(u *bodyUpdate, raw json.RawMessage) *Flaw {
		if v, ok := parseText(raw); ok {
			*to(&u.update) = &v
		} else if string(raw) != "null" {
			return newUnreadableFlaw()
		}
		return nil
	}
}

func newBoolSetter(to func(*sim.JobUpdate) **bool) keySetter {
	return func(u *bodyUpdate, raw json.RawMessage) *Flaw {
		if v, ok := parseBool(raw); ok {
			*to(&u.update) = &v
		} else if string(raw) != "null" {
			return newUnreadableFlaw()
		}
		return nil
	}
}

// neutralSiteFactor is the site_factor that changes nothing.
const neutralSiteFactor = 1 << 31

// newHostsSetter reads a list of nodes. An empty list changes nothing; a list with one
// empty name, an empty string or null clears.
func newHostsSetter(to func(*sim.JobUpdate) **[]string) keySetter {
	return func(u *bodyUpdate, raw json.RawMessage) *Flaw {
		names := []string{}
		if string(raw) == "null" {
			names = append(names, "")
		} else if s, ok := parseText(raw); ok {
			u.addWarning("Expected OpenAPI type=array but got OpenAPI type=string", "")
			names = append(names, s)
		} else if json.Unmarshal(raw, &names) != nil {
			return newUnreadableFlaw()
		}
		if len(names) == 0 {
			return nil
		}
		list, err := slurm.ExpandHosts(strings.Trim(strings.Join(names, ","), ","))
		if err != nil {
			return newUnreadableFlaw()
		}
		if list == nil {
			list = []string{}
		}
		*to(&u.update) = &list
		return nil
	}
}

// setNice reads a bare number, null as 0; the struct is refused.
func setNice(u *bodyUpdate, raw json.RawMessage) *Flaw {
	switch n, v := parseNumber(raw); {
	case v == valueInvalid || raw[0] == '{':
		return newUnreadableFlaw()
	default:
		u.update.Nice = &n
	}
	return nil
}

func setPriority(u *bodyUpdate, raw json.RawMessage) *Flaw {
	switch n, v := parseNumber(raw); v {
	case valueGiven:
		u.update.Priority = &n
	case valueUnlimited:
		u.update.Priority = sim.Ptr(sim.InfinitePriority)
	case valueInvalid:
		return newUnreadableFlaw()
	}
	return nil
}

// setSiteFactor reads a bare number around 2^31. Null counts as 0, which is far
// below neutral; the struct is refused.
func setSiteFactor(u *bodyUpdate, raw json.RawMessage) *Flaw {
	n, v := parseNumber(raw)
	switch {
	case v == valueInvalid || raw[0] == '{':
		return &Flaw{ErrorNumber: 9000, HTTPStatus: http.StatusUnprocessableEntity}
	case n < 0 || n >= 0xfffffffe:
	default:
		u.update.SiteFactor = sim.Ptr(n - neutralSiteFactor)
	}
	return nil
}

// setBeginTime reads a moment; 0, null and infinite change nothing.
func setBeginTime(u *bodyUpdate, raw json.RawMessage) *Flaw {
	if word, ok := parseText(raw); ok && strings.HasPrefix(word, "now") {
		t, ok := u.ParseTime(word)
		if !ok {
			return newUnreadableFlaw()
		}
		u.update.BeginTime = &t
		return nil
	}
	switch n, v := parseNumber(raw); {
	case v == valueInvalid:
		return newUnreadableFlaw()
	case v == valueGiven && n != 0:
		u.update.BeginTime = sim.Ptr(time.Unix(n, 0).UTC())
	}
	return nil
}

func setTimeLimit(u *bodyUpdate, raw json.RawMessage) *Flaw {
	switch n, v := parseNumber(raw); v {
	case valueGiven:
		u.update.TimeLimit = sim.Ptr(time.Duration(n) * time.Minute)
	case valueUnlimited:
		u.update.TimeLimit = sim.Ptr(time.Duration(0))
	case valueInvalid:
		return newUnreadableFlaw()
	}
	return nil
}

// newGPUsSetter reads a number of GPUs, per job or per node: Slurm takes the form in which the job asked.
func newGPUsSetter(perJob bool) keySetter {
	return func(u *bodyUpdate, raw json.RawMessage) *Flaw {
		s, isText := parseText(raw)
		kind, n, ok := parseGPUs(s, false)
		if !isText || !ok {
			return &Flaw{ErrorNumber: 2115, HTTPStatus: http.StatusUnprocessableEntity}
		}
		u.update.GPUs, u.update.GPUType, u.update.GPUsArePerJob = &n, kind, &perJob
		return nil
	}
}

// sluidPattern are the SLUIDs Slurm looks up at all.
var sluidPattern = regexp.MustCompile(`^s[0-9A-Z]{13}$`)

// setRunSLUID binds the update to a run.
func setRunSLUID(u *bodyUpdate, raw json.RawMessage) *Flaw {
	var step struct{ SLUID string }
	if json.Unmarshal(raw, &step) != nil {
		return newUnreadableFlaw()
	}
	if step.SLUID != "" && !sluidPattern.MatchString(step.SLUID) {
		return &Flaw{ErrorNumber: 2185, HTTPStatus: http.StatusUnprocessableEntity}
	}
	u.update.SLUID = step.SLUID
	return nil
}

// valueState says what a value in a body amounts to.
type valueState int

const (
	valueIgnored   valueState = iota // accepted, and nothing happens
	valueGiven                       // a number
	valueUnlimited                   // {"infinite":true}
	valueInvalid                     // not a number at all
)

// parseNumber reads what v0.0.39 and later take for a number: a bare one, one in
// quotes, or the struct, which without "set" is ignored in silence.
func parseNumber(raw json.RawMessage) (int64, valueState) {
	var n json.Number
	if s := strings.Trim(string(raw), `"`); json.Unmarshal([]byte(s), &n) == nil && s != "null" {
		if v, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
			return v, valueGiven
		}
	}
	var s struct {
		Set, Infinite bool
		Number        int64
	}
	switch {
	case string(raw) == "null":
		return 0, valueIgnored
	case len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &s) != nil:
		return 0, valueInvalid
	case s.Infinite:
		return 0, valueUnlimited
	case !s.Set:
		return 0, valueIgnored
	}
	return s.Number, valueGiven
}

// parseText reads a string.
func parseText(raw json.RawMessage) (string, bool) {
	var s string
	ok := len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil
	return s, ok
}

// parseBool reads a bool.
func parseBool(raw json.RawMessage) (v, ok bool) {
	ok = string(raw) != "null" && json.Unmarshal(raw, &v) == nil
	return v, ok
}

// parseGPUs reads "gres/gpu:a100:2", "gres:gpu:2" and, for 22.05, "gpu:2".
func parseGPUs(s string, bare bool) (kind *string, n int, ok bool) {
	rest, found := strings.CutPrefix(strings.Replace(s, "gres:", "gres/", 1), "gres/")
	if !found && !bare {
		return nil, 0, false
	}
	parts := strings.Split(rest, ":")
	if parts[0] == "gpu" {
		parts = parts[1:]
	} else if !bare {
		return nil, 0, false
	}
	if len(parts) == 0 || len(parts) > 2 {
		return nil, 0, false
	}
	n, err := strconv.Atoi(parts[len(parts)-1])
	if len(parts) == 2 {
		kind = &parts[0]
	}
	return kind, n, err == nil
}
