package slurmtest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// neutral is the site_factor that changes nothing.
const neutral = 1 << 31

// hosts reads a list of nodes. An empty list changes nothing; a list with one
// empty name, an empty string or null clears.
func hosts(to func(*sim.Update) **[]string) taker {
	return func(_ *Server, u *sim.Update, raw json.RawMessage, out *reply) *flaw {
		names := []string{}
		if string(raw) == "null" {
			names = append(names, "")
		} else if s, ok := text(raw); ok {
			out.warn("Expected OpenAPI type=array but got OpenAPI type=string", "")
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
		*to(u) = &list
		return nil
	}
}

// takeNice reads a bare number, null as 0; the struct is refused.
func takeNice(_ *Server, u *sim.Update, raw json.RawMessage, _ *reply) *flaw {
	switch n, v := number(raw); {
	case v == wrong || raw[0] == '{':
		return unreadable()
	default:
		u.Nice = &n
	}
	return nil
}

func takePriority(_ *Server, u *sim.Update, raw json.RawMessage, _ *reply) *flaw {
	switch n, v := number(raw); v {
	case given:
		u.Priority = &n
	case unlimited:
		u.Priority = sim.Ptr(sim.Infinite)
	case wrong:
		return unreadable()
	}
	return nil
}

// takeSite reads a bare number around 2^31. Null counts as 0, which is far
// below neutral; the struct is refused.
func takeSite(_ *Server, u *sim.Update, raw json.RawMessage, _ *reply) *flaw {
	n, v := number(raw)
	switch {
	case v == wrong || raw[0] == '{':
		return &flaw{number: 9000, status: http.StatusUnprocessableEntity}
	case n < 0 || n >= 0xfffffffe:
	default:
		u.SiteFactor = sim.Ptr(n - neutral)
	}
	return nil
}

// takeBegin reads a moment; 0, null and infinite change nothing.
func takeBegin(s *Server, u *sim.Update, raw json.RawMessage, _ *reply) *flaw {
	if word, ok := text(raw); ok && strings.HasPrefix(word, "now") {
		t, ok := s.moment(word)
		if !ok {
			return unreadable()
		}
		u.Begin = &t
		return nil
	}
	switch n, v := number(raw); {
	case v == wrong:
		return unreadable()
	case v == given && n != 0:
		u.Begin = sim.Ptr(time.Unix(n, 0).UTC())
	}
	return nil
}

// moment reads "now", "now+60", "uts1767571200" and local ISO times.
func (s *Server) moment(word string) (time.Time, bool) {
	if rest, ok := strings.CutPrefix(word, "now"); ok {
		if rest == "" {
			return s.world.Now(), true
		}
		n, err := strconv.Atoi(strings.TrimPrefix(rest, "+"))
		return s.world.Now().Add(time.Duration(n) * time.Second), err == nil
	}
	if rest, ok := strings.CutPrefix(word, "uts"); ok {
		n, err := strconv.ParseInt(rest, 10, 64)
		return time.Unix(n, 0).UTC(), err == nil
	}
	t, err := time.ParseInLocation("2006-01-02T15:04:05", word, s.cfg.Zone)
	return t.UTC(), err == nil
}

func takeLimit(_ *Server, u *sim.Update, raw json.RawMessage, _ *reply) *flaw {
	switch n, v := number(raw); v {
	case given:
		u.Limit = sim.Ptr(time.Duration(n) * time.Minute)
	case unlimited:
		u.Limit = sim.Ptr(time.Duration(0))
	case wrong:
		return unreadable()
	}
	return nil
}

func takeGPUs(_ *Server, u *sim.Update, raw json.RawMessage, _ *reply) *flaw {
	s, isText := text(raw)
	kind, n, ok := gpus(s, false)
	if !isText || !ok {
		return &flaw{number: 2115, status: http.StatusUnprocessableEntity}
	}
	u.GPUs, u.GPUType = &n, kind
	return nil
}

// wellFormed are the SLUIDs Slurm looks up at all.
var wellFormed = regexp.MustCompile(`^s[0-9A-Z]{13}$`)

// takeFence binds the update to a run.
func takeFence(_ *Server, u *sim.Update, raw json.RawMessage, _ *reply) *flaw {
	var step struct{ SLUID string }
	if json.Unmarshal(raw, &step) != nil {
		return unreadable()
	}
	if step.SLUID != "" && !wellFormed.MatchString(step.SLUID) {
		return &flaw{number: 2185, status: http.StatusUnprocessableEntity}
	}
	u.SLUID = step.SLUID
	return nil
}
