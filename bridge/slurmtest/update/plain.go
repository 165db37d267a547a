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
func (r Reader) Plain(fields map[string]json.RawMessage) (sim.Update, *PlainFlaw) {
	u := &reading{Reader: r}
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		switch take := plainTakers[k]; {
		case take == nil:
			return u.update, &PlainFlaw{Key: k, Unknown: true}
		case !take(u, fields[k]):
			return u.update, &PlainFlaw{Key: k, Integer: k == "nice" || k == "priority" || k == "time_limit"}
		}
	}
	return u.update, nil
}

// plainTaker puts the value of one key into the update, and reports whether it
// can be read.
type plainTaker func(*reading, json.RawMessage) bool

// plainTakers are the keys 22.05 knows, as far as we need them.
var plainTakers = map[string]plainTaker{
	"name":          plainWord(func(*sim.Update) **string { return new(*string) }), // cannot be changed
	"qos":           plainWord(func(u *sim.Update) **string { return &u.QOS }),
	"partition":     plainWord(func(u *sim.Update) **string { return &u.Partition }),
	"account":       plainWord(func(u *sim.Update) **string { return &u.Account }),
	"constraint":    plainWord(func(u *sim.Update) **string { return &u.Features }),
	"constraints":   plainWord(func(u *sim.Update) **string { return &u.Features }),
	"comment":       plainWord(func(u *sim.Update) **string { return &u.Comment }),
	"nodelist":      plainHosts(func(u *sim.Update) **[]string { return &u.Required }),
	"node_list":     plainHosts(func(u *sim.Update) **[]string { return &u.Required }),
	"exclude_nodes": plainHosts(func(u *sim.Update) **[]string { return &u.Excluded }),
	"nice":          plainNumber(func(u *sim.Update, n int64) { u.Nice = &n }),
	"priority":      plainNumber(func(u *sim.Update, n int64) { u.Priority = &n }),
	"time_limit":    plainNumber(func(u *sim.Update, n int64) { u.Limit = sim.Ptr(time.Duration(n) * time.Minute) }),
	"hold":          plainBool(func(u *sim.Update, v bool) { u.Hold = &v }),
	"requeue":       plainBool(func(u *sim.Update, v bool) { u.Requeue = &v }),
	"no_requeue":    plainBool(func(u *sim.Update, v bool) { u.NoRequeue = v }),
	"begin_time":    plainBegin,
	"gres":          plainGPUs,
	"gpus":          plainGPUs,
	"gpus_per_node": plainGPUs,
}

func plainWord(to func(*sim.Update) **string) plainTaker {
	return func(u *reading, raw json.RawMessage) bool {
		v, ok := text(raw)
		*to(&u.update) = &v
		return ok
	}
}

// plainHosts takes a hostlist in one string; null clears like "".
func plainHosts(to func(*sim.Update) **[]string) plainTaker {
	return func(u *reading, raw json.RawMessage) bool {
		v, ok := text(raw)
		ok = ok || string(raw) == "null"
		list, err := slurm.ExpandHosts(v)
		if list == nil {
			list = []string{}
		}
		*to(&u.update) = &list
		return ok && err == nil
	}
}

func plainNumber(set func(*sim.Update, int64)) plainTaker {
	return func(u *reading, raw json.RawMessage) bool {
		n, v := number(raw)
		if v != given || raw[0] == '{' {
			return false
		}
		set(&u.update, n)
		return true
	}
}

func plainBool(set func(*sim.Update, bool)) plainTaker {
	return func(u *reading, raw json.RawMessage) bool {
		v, ok := truth(raw)
		if ok {
			set(&u.update, v)
		}
		return ok
	}
}

func plainBegin(u *reading, raw json.RawMessage) bool {
	word, ok := text(raw)
	t, readable := u.Moment(word)
	u.update.Begin = &t
	return ok && readable
}

func plainGPUs(u *reading, raw json.RawMessage) bool {
	word, ok := text(raw)
	kind, n, readable := gpus(word, true)
	u.update.GPUs, u.update.GPUType = &n, kind
	return ok && readable
}
