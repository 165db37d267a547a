package decode

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
)

// The reference reads replies the slow and obvious way: encoding/json into
// maps, then field by field. It shares no code with the scanner, and what both
// accept must come out the same.

// jsonObject is one JSON object of the reference.
type jsonObject map[string]any

func (o jsonObject) has(key string) bool { return o[key] != nil }

// whole reads a JSON number without a fraction: 8.0 is 8.
func whole(n json.Number) (int64, valueStatus) {
	if strings.ContainsAny(n.String(), ".eE") {
		f, err := n.Float64()
		if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return 0, statusUnreadable
		}
		return int64(f), statusFound
	}
	v, ok := new(big.Int).SetString(n.String(), 10)
	switch {
	case ok && v.IsInt64():
		return v.Int64(), statusFound
	case ok && v.IsUint64() && v.Uint64() == math.MaxUint64:
		return 0, statusInfinite
	case ok && v.IsUint64() && v.Uint64() == math.MaxUint64-1:
		return 0, statusAbsent
	}
	return 0, statusUnreadable
}

func number(v any) (int64, valueStatus) {
	switch v := v.(type) {
	case nil:
		return 0, statusAbsent
	case json.Number:
		return whole(v)
	case map[string]any:
		set, ok1 := true, true
		if x, there := v["set"]; there {
			set, ok1 = x.(bool)
		}
		endless, ok2 := false, true
		if x, there := v["infinite"]; there {
			endless, ok2 = x.(bool)
		}
		n, there := v["number"]
		switch {
		case !ok1 || !ok2:
			return 0, statusUnreadable
		case endless:
			return 0, statusInfinite
		case !set:
			return 0, statusAbsent
		case !there:
			return 0, statusUnreadable
		}
		return number(n)
	}
	return 0, statusUnreadable
}

func sized(v any) (int64, valueStatus) {
	n, got := number(v)
	switch {
	case got != statusFound:
		return 0, got
	case n == -1 || n == math.MaxUint32:
		return 0, statusInfinite
	case n == -2 || n == math.MaxUint32-1:
		return 0, statusAbsent
	case n < 0:
		return 0, statusUnreadable
	}
	return n, statusFound
}

// cleaned replaces control characters.
func cleaned(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r <= 0x9f {
			return ' '
		}
		return r
	}, s)
}

// reader collects what is wrong with a record of the reference.
type reader struct {
	o           jsonObject
	good, wrong map[string]bool
}

func (r *reader) note(key string, got valueStatus) bool {
	r.good[key] = got == statusFound || got == statusInfinite
	if got == statusUnreadable {
		r.wrong[key] = true
	}
	return got == statusFound
}

func (r *reader) text(key string) string {
	s, ok := r.o[key].(string)
	got := statusFound
	if !ok {
		got = statusAbsent
		if r.o.has(key) {
			got = statusUnreadable
		}
	}
	r.note(key, got)
	return cleaned(s)
}

func (r *reader) size(key string) int64 {
	v, got := sized(r.o[key])
	r.note(key, got)
	return v
}

func (r *reader) flag(key string) bool {
	b, ok := r.o[key].(bool)
	if r.o.has(key) && !ok {
		r.wrong[key] = true
	}
	return b
}

func (r *reader) time(key string) time.Time {
	v, got := sized(r.o[key])
	if v > 253402300799 {
		got = statusUnreadable
	}
	if got == statusInfinite || got == statusFound && v == 0 {
		got = statusAbsent
	}
	if !r.note(key, got) {
		return time.Time{}
	}
	return time.Unix(v, 0).UTC()
}

func (r *reader) span(key string, unit time.Duration) time.Duration {
	v, got := sized(r.o[key])
	if v > int64(1<<62/unit) {
		r.note(key, statusUnreadable)
		return 0
	}
	r.note(key, got)
	return time.Duration(v) * unit
}

// list reads a string or a list of strings.
func (r *reader) list(key string, upper bool) (out []string, ok bool) {
	items, isList := r.o[key].([]any)
	if !isList {
		items = []any{r.o[key]}
	}
	got := statusFound
	for _, x := range items {
		s, ok := x.(string)
		if !ok {
			if got = statusUnreadable; x == nil && !isList {
				got = statusAbsent
			}
			continue
		}
		if s = cleaned(s); upper && strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz") {
			s = strings.ToUpper(s)
		}
		out = append(out, s)
	}
	return out, r.note(key, got)
}

func (r *reader) hosts(key string) string {
	list, _ := r.list(key, false)
	s := strings.Join(list, ",")
	if _, isList := r.o[key].([]any); !isList && (s == "(null)" || s == "None assigned") {
		return ""
	}
	return s
}

// state splits state words.
func (r *reader) state(key string) (base string, flags []string) {
	words, ok := r.list(key, true)
	if !ok {
		return "", nil
	}
	i := slices.IndexFunc(words, func(w string) bool { return jobBaseStates[w] })
	if i >= 0 {
		base = words[i]
		words = slices.Delete(words, i, i+1)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	for _, w := range words {
		if base == "" {
			base = baseStateByFlag[w]
		}
	}
	if base == "" {
		r.wrong[key], r.good[key] = true, false
	}
	if len(words) == 0 {
		words = nil
	}
	return base, words
}

// parse reads a document into maps.
func parse(text []byte) (jsonObject, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out jsonObject
	return out, d.Decode(&out)
}

func newReader(o jsonObject) *reader {
	return &reader{o: o, good: map[string]bool{}, wrong: map[string]bool{}}
}
