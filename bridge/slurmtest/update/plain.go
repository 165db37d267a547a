package update

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// PlainFlaw is why 22.05 does not take a body.
type PlainFlaw struct {
	Key     string
	Unknown bool // the key is; otherwise its value cannot be read
	Integer bool // a whole number was wanted
}

// Plain reads a body as 22.05 does: plain values and strings. One unknown key or
// value that cannot be read, and there is no update.
func (r Reader) Plain(fields map[string]json.RawMessage) (sim.JobUpdate, *PlainFlaw) {
	u := &bodyUpdate{Reader: r}
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		switch take := plainSetters[k]; {
		case take == nil:
			return u.update, &PlainFlaw{Key: k, Unknown: true}
		case !take(u, fields[k]):
			return u.update, &PlainFlaw{Key: k, Integer: k == "nice" || k == "priority" || k == "time_limit"}
		}
	}
	return u.update, nil
}

// plainSetter puts the value of one key into the update, and reports whether it
// can be read.
type plainSetter func(*bodyUpdate, json.RawMessage) bool

// plainSetters are the keys 22.05 knows, as far as we need them.
var plainSetters = map[string]plainSetter{
	"name":          plainTextSetter(func(*sim.JobUpdate) **string { return new(*string) }), // cannot be changed
	"qos":           plainTextSetter(func(u *sim.JobUpdate) **string { return &u.QOS }),
	"partition":     plainTextSetter(func(u *sim.JobUpdate) **string { return &u.Partition }),
	"account":       plainTextSetter(func(u *sim.JobUpdate) **string { return &u.Account }),
	"constraint":    plainTextSetter(func(u *sim.JobUpdate) **string { return &u.Features }),
	"constraints":   plainTextSetter(func(u *sim.JobUpdate) **string { return &u.Features }),
	"comment":       plainTextSetter(func(u *sim.JobUpdate) **string { return &u.Comment }),
	"nodelist":      plainHostsSetter(func(u *sim.JobUpdate) **[]string { return &u.RequiredNodes }),
	"node_list":     plainHostsSetter(func(u *sim.JobUpdate) **[]string { return &u.RequiredNodes }),
	"exclude_nodes": plainHostsSetter(func(u *sim.JobUpdate) **[]string { return &u.ExcludedNodes }),
	"nice":          plainNumberSetter(func(u *sim.JobUpdate, n int64) { u.Nice = &n }),
	"priority":      plainNumberSetter(func(u *sim.JobUpdate, n int64) { u.Priority = &n }),
	"time_limit":    plainNumberSetter(func(u *sim.JobUpdate, n int64) { u.TimeLimit = sim.Ptr(time.Duration(n) * time.Minute) }),
	"hold":          plainBoolSetter(func(u *sim.JobUpdate, v bool) { u.Hold = &v }),
	"requeue":       plainBoolSetter(func(u *sim.JobUpdate, v bool) { u.MayRequeue = &v }),
	"no_requeue":    plainBoolSetter(func(u *sim.JobUpdate, v bool) { u.NoRequeue = v }),
	"begin_time":    setPlainBegin,
	"gres":          setPlainGPUs,
	"gpus":          setPlainGPUs,
	"gpus_per_node": setPlainGPUs,
}

func plainTextSetter(to func(*sim.JobUpdate) **string) plainSetter {
	return func(u *bodyUpdate, raw json.RawMessage) bool {
		v, ok := parseText(raw)
		*to(&u.update) = &v
		return ok
	}
}

// plainHostsSetter takes a hostlist in one string; null clears like "".
func plainHostsSetter(to func(*sim.JobUpdate) **[]string) plainSetter {
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

func plainNumberSetter(set func(*sim.JobUpdate, int64)) plainSetter {
	return func(u *bodyUpdate, raw json.RawMessage) bool {
		n, v := parseNumber(raw)
		if v != given || raw[0] == '{' {
			return false
		}
		set(&u.update, n)
		return true
	}
}

func plainBoolSetter(set func(*sim.JobUpdate, bool)) plainSetter {
	return func(u *bodyUpdate, raw json.RawMessage) bool {
		v, ok := parseBool(raw)
		if ok {
			set(&u.update, v)
		}
		return ok
	}
}

func setPlainBegin(u *bodyUpdate, raw json.RawMessage) bool {
	word, ok := parseText(raw)
	t, readable := u.ParseTime(word)
	u.update.BeginTime = &t
	return ok && readable
}

func setPlainGPUs(u *bodyUpdate, raw json.RawMessage) bool {
	word, ok := parseText(raw)
	kind, n, readable := parseGPUs(word, true)
	u.update.GPUs, u.update.GPUType = &n, kind
	return ok && readable
}
