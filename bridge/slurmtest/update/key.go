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

// taker puts the value of one key into the update.
type taker func(*reading, json.RawMessage) *Flaw

// takers are the keys that mean something to v0.0.39 and later.
var takers = map[string]taker{
	"name":           words(func(u *sim.Update) **string { return &u.Name }),
	"qos":            words(func(u *sim.Update) **string { return &u.QOS }),
	"partition":      words(func(u *sim.Update) **string { return &u.Partition }),
	"account":        words(func(u *sim.Update) **string { return &u.Account }),
	"constraints":    words(func(u *sim.Update) **string { return &u.Features }),
	"comment":        words(func(u *sim.Update) **string { return &u.Comment }),
	"extra":          words(func(u *sim.Update) **string { return &u.Extra }),
	"admin_comment":  words(func(u *sim.Update) **string { return &u.Admin }),
	"hold":           bools(func(u *sim.Update) **bool { return &u.Hold }),
	"requeue":        bools(func(u *sim.Update) **bool { return &u.Requeue }),
	"required_nodes": hosts(func(u *sim.Update) **[]string { return &u.Required }),
	"excluded_nodes": hosts(func(u *sim.Update) **[]string { return &u.Excluded }),
	"nice":           takeNice,
	"priority":       takePriority,
	"site_factor":    takeSite,
	"begin_time":     takeBegin,
	"time_limit":     takeLimit,
	"tres_per_node":  takeGPUs,
	"tres_per_job":   takeGPUs,
	"step_id":        takeFence,
	"job_id":         func(*reading, json.RawMessage) *Flaw { return nil },
}

func words(to func(*sim.Update) **string) taker {
	return func(u *reading, raw json.RawMessage) *Flaw {
		if v, ok := text(raw); ok {
			*to(&u.update) = &v
		} else if string(raw) != "null" {
			return unreadable()
		}
		return nil
	}
}

func bools(to func(*sim.Update) **bool) taker {
	return func(u *reading, raw json.RawMessage) *Flaw {
		if v, ok := truth(raw); ok {
			*to(&u.update) = &v
		} else if string(raw) != "null" {
			return unreadable()
		}
		return nil
	}
}

// neutral is the site_factor that changes nothing.
const neutral = 1 << 31

// hosts reads a list of nodes. An empty list changes nothing; a list with one
// empty name, an empty string or null clears.
func hosts(to func(*sim.Update) **[]string) taker {
	return func(u *reading, raw json.RawMessage) *Flaw {
		names := []string{}
		if string(raw) == "null" {
			names = append(names, "")
		} else if s, ok := text(raw); ok {
			u.warn("Expected OpenAPI type=array but got OpenAPI type=string", "")
			names = append(names, s)
		} else if json.Unmarshal(raw, &names) != nil {
			return unreadable()
		}
		if len(names) == 0 {
			return nil
		}
		list, err := slurm.ExpandHosts(strings.Trim(strings.Join(names, ","), ","))
		if err != nil {
			return unreadable()
		}
		if list == nil {
			list = []string{}
		}
		*to(&u.update) = &list
		return nil
	}
}

// takeNice reads a bare number, null as 0; the struct is refused.
func takeNice(u *reading, raw json.RawMessage) *Flaw {
	switch n, v := number(raw); {
	case v == wrong || raw[0] == '{':
		return unreadable()
	default:
		u.update.Nice = &n
	}
	return nil
}

func takePriority(u *reading, raw json.RawMessage) *Flaw {
	switch n, v := number(raw); v {
	case given:
		u.update.Priority = &n
	case unlimited:
		u.update.Priority = sim.Ptr(sim.Infinite)
	case wrong:
		return unreadable()
	}
	return nil
}

// takeSite reads a bare number around 2^31. Null counts as 0, which is far
// below neutral; the struct is refused.
func takeSite(u *reading, raw json.RawMessage) *Flaw {
	n, v := number(raw)
	switch {
	case v == wrong || raw[0] == '{':
		return &Flaw{Number: 9000, Status: http.StatusUnprocessableEntity}
	case n < 0 || n >= 0xfffffffe:
	default:
		u.update.SiteFactor = sim.Ptr(n - neutral)
	}
	return nil
}

// takeBegin reads a moment; 0, null and infinite change nothing.
func takeBegin(u *reading, raw json.RawMessage) *Flaw {
	if word, ok := text(raw); ok && strings.HasPrefix(word, "now") {
		t, ok := u.Moment(word)
		if !ok {
			return unreadable()
		}
		u.update.Begin = &t
		return nil
	}
	switch n, v := number(raw); {
	case v == wrong:
		return unreadable()
	case v == given && n != 0:
		u.update.Begin = sim.Ptr(time.Unix(n, 0).UTC())
	}
	return nil
}

func takeLimit(u *reading, raw json.RawMessage) *Flaw {
	switch n, v := number(raw); v {
	case given:
		u.update.Limit = sim.Ptr(time.Duration(n) * time.Minute)
	case unlimited:
		u.update.Limit = sim.Ptr(time.Duration(0))
	case wrong:
		return unreadable()
	}
	return nil
}

func takeGPUs(u *reading, raw json.RawMessage) *Flaw {
	s, isText := text(raw)
	kind, n, ok := gpus(s, false)
	if !isText || !ok {
		return &Flaw{Number: 2115, Status: http.StatusUnprocessableEntity}
	}
	u.update.GPUs, u.update.GPUType = &n, kind
	return nil
}

// wellFormed are the SLUIDs Slurm looks up at all.
var wellFormed = regexp.MustCompile(`^s[0-9A-Z]{13}$`)

// takeFence binds the update to a run.
func takeFence(u *reading, raw json.RawMessage) *Flaw {
	var step struct{ SLUID string }
	if json.Unmarshal(raw, &step) != nil {
		return unreadable()
	}
	if step.SLUID != "" && !wellFormed.MatchString(step.SLUID) {
		return &Flaw{Number: 2185, Status: http.StatusUnprocessableEntity}
	}
	u.update.SLUID = step.SLUID
	return nil
}
