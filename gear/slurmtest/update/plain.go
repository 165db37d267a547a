package update

import (
	"encoding/json"
	"maps"
	"slices"
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
