package update

import (
	"encoding/json"
	"net/http"
	"regexp"
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
