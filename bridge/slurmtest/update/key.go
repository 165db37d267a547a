package update

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// keySetter puts the value of one key into the update.
type keySetter func(*bodyUpdate, json.RawMessage) *Flaw

// keySetters are the keys that mean something to v0.0.39 and later.
var keySetters = map[string]keySetter{
	"name":           textSetter(func(u *sim.JobUpdate) **string { return &u.Name }),
	"qos":            textSetter(func(u *sim.JobUpdate) **string { return &u.QOS }),
	"partition":      textSetter(func(u *sim.JobUpdate) **string { return &u.Partition }),
	"account":        textSetter(func(u *sim.JobUpdate) **string { return &u.Account }),
	"constraints":    textSetter(func(u *sim.JobUpdate) **string { return &u.Features }),
	"comment":        textSetter(func(u *sim.JobUpdate) **string { return &u.Comment }),
	"extra":          textSetter(func(u *sim.JobUpdate) **string { return &u.Extra }),
	"admin_comment":  textSetter(func(u *sim.JobUpdate) **string { return &u.AdminComment }),
	"hold":           boolSetter(func(u *sim.JobUpdate) **bool { return &u.Hold }),
	"requeue":        boolSetter(func(u *sim.JobUpdate) **bool { return &u.MayRequeue }),
	"required_nodes": hostsSetter(func(u *sim.JobUpdate) **[]string { return &u.RequiredNodes }),
	"excluded_nodes": hostsSetter(func(u *sim.JobUpdate) **[]string { return &u.ExcludedNodes }),
	"nice":           setNice,
	"priority":       setPriority,
	"site_factor":    setSiteFactor,
	"begin_time":     setBegin,
	"time_limit":     setLimit,
	"tres_per_node":  setGPUs,
	"tres_per_job":   setGPUs,
	"step_id":        setRun,
	"job_id":         func(*bodyUpdate, json.RawMessage) *Flaw { return nil },
}

func textSetter(to func(*sim.JobUpdate) **string) keySetter {
	return func(u *bodyUpdate, raw json.RawMessage) *Flaw {
		if v, ok := parseText(raw); ok {
			*to(&u.update) = &v
		} else if string(raw) != "null" {
			return unreadableFlaw()
		}
		return nil
	}
}

func boolSetter(to func(*sim.JobUpdate) **bool) keySetter {
	return func(u *bodyUpdate, raw json.RawMessage) *Flaw {
		if v, ok := parseBool(raw); ok {
			*to(&u.update) = &v
		} else if string(raw) != "null" {
			return unreadableFlaw()
		}
		return nil
	}
}

// neutralSiteFactor is the site_factor that changes nothing.
const neutralSiteFactor = 1 << 31

// hostsSetter reads a list of nodes. An empty list changes nothing; a list with one
// empty name, an empty string or null clears.
func hostsSetter(to func(*sim.JobUpdate) **[]string) keySetter {
	return func(u *bodyUpdate, raw json.RawMessage) *Flaw {
		names := []string{}
		if string(raw) == "null" {
			names = append(names, "")
		} else if s, ok := parseText(raw); ok {
			u.warn("Expected OpenAPI type=array but got OpenAPI type=string", "")
			names = append(names, s)
		} else if json.Unmarshal(raw, &names) != nil {
			return unreadableFlaw()
		}
		if len(names) == 0 {
			return nil
		}
		list, err := slurm.ExpandHosts(strings.Trim(strings.Join(names, ","), ","))
		if err != nil {
			return unreadableFlaw()
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
	case v == wrong || raw[0] == '{':
		return unreadableFlaw()
	default:
		u.update.Nice = &n
	}
	return nil
}

func setPriority(u *bodyUpdate, raw json.RawMessage) *Flaw {
	switch n, v := parseNumber(raw); v {
	case given:
		u.update.Priority = &n
	case unlimited:
		u.update.Priority = sim.Ptr(sim.InfinitePriority)
	case wrong:
		return unreadableFlaw()
	}
	return nil
}

// setSiteFactor reads a bare number around 2^31. Null counts as 0, which is far
// below neutral; the struct is refused.
func setSiteFactor(u *bodyUpdate, raw json.RawMessage) *Flaw {
	n, v := parseNumber(raw)
	switch {
	case v == wrong || raw[0] == '{':
		return &Flaw{Number: 9000, Status: http.StatusUnprocessableEntity}
	case n < 0 || n >= 0xfffffffe:
	default:
		u.update.SiteFactor = sim.Ptr(n - neutralSiteFactor)
	}
	return nil
}

// setBegin reads a moment; 0, null and infinite change nothing.
func setBegin(u *bodyUpdate, raw json.RawMessage) *Flaw {
	if word, ok := parseText(raw); ok && strings.HasPrefix(word, "now") {
		t, ok := u.ParseTime(word)
		if !ok {
			return unreadableFlaw()
		}
		u.update.BeginTime = &t
		return nil
	}
	switch n, v := parseNumber(raw); {
	case v == wrong:
		return unreadableFlaw()
	case v == given && n != 0:
		u.update.BeginTime = sim.Ptr(time.Unix(n, 0).UTC())
	}
	return nil
}

func setLimit(u *bodyUpdate, raw json.RawMessage) *Flaw {
	switch n, v := parseNumber(raw); v {
	case given:
		u.update.TimeLimit = sim.Ptr(time.Duration(n) * time.Minute)
	case unlimited:
		u.update.TimeLimit = sim.Ptr(time.Duration(0))
	case wrong:
		return unreadableFlaw()
	}
	return nil
}

func setGPUs(u *bodyUpdate, raw json.RawMessage) *Flaw {
	s, isText := parseText(raw)
	kind, n, ok := parseGPUs(s, false)
	if !isText || !ok {
		return &Flaw{Number: 2115, Status: http.StatusUnprocessableEntity}
	}
	u.update.GPUs, u.update.GPUType = &n, kind
	return nil
}

// sluidPattern are the SLUIDs Slurm looks up at all.
var sluidPattern = regexp.MustCompile(`^s[0-9A-Z]{13}$`)

// setRun binds the update to a run.
func setRun(u *bodyUpdate, raw json.RawMessage) *Flaw {
	var step struct{ SLUID string }
	if json.Unmarshal(raw, &step) != nil {
		return unreadableFlaw()
	}
	if step.SLUID != "" && !sluidPattern.MatchString(step.SLUID) {
		return &Flaw{Number: 2185, Status: http.StatusUnprocessableEntity}
	}
	u.update.SLUID = step.SLUID
	return nil
}
