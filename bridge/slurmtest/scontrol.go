package slurmtest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurmtest/wire"
)

// Scontrol runs "scontrol args…" as a user and returns what it prints and its
// exit status. It knows requeue [Incomplete] LIST, hold LIST, release LIST, show
// config, show job N and update JobId=N [Priority=N] [Nice=N] [SiteFactor=N]
// [StartTime=now+N]; and in place of another program scancel [--batch
// --signal=NAME] LIST.
func (s *Server) Scontrol(user string, args ...string) (output string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow()
	return s.scontrol(user, args)
}

func (s *Server) scontrol(user string, args []string) (string, int) {
	if len(args) < 2 {
		return "scontrol: want a command and its arguments\n", 1
	}
	verb, rest := args[0], args[1:]
	switch verb {
	case "requeue":
		incomplete := strings.EqualFold(rest[0], "Incomplete") && len(rest) > 1
		if incomplete {
			rest = rest[1:]
		}
		return each(rest, func(id string) error { return s.world.Requeue(user, id, incomplete) })
	case "hold":
		return each(rest, func(id string) error { return s.world.Hold(user, atoi(id)) })
	case "release":
		return each(rest, func(id string) error { return s.world.Release(user, atoi(id)) })
	case "update":
		return s.scontrolUpdate(user, rest)
	case "scancel":
		return s.scancel(user, rest)
	case "show":
		return s.scontrolShow(rest)
	}
	return "invalid keyword: " + verb + "\n", 1
}

// each does f to every id of the comma lists and collects the complaints.
func each(lists []string, f func(string) error) (out string, status int) {
	for _, list := range lists {
		for _, id := range strings.Split(list, ",") {
			if err := f(id); err != nil {
				out += complaint(err) + " for job " + id + "\n"
				status = 1
			}
		}
	}
	return out, status
}

// scancel signals the batch scripts of jobs or, without a signal, ends the jobs.
func (s *Server) scancel(user string, args []string) (string, int) {
	var signal slurm.Signal
	batch := false
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		name, value, _ := strings.Cut(args[0], "=")
		var err error
		switch name {
		case "--batch":
			batch = true
		case "--signal":
			signal, err = slurm.ParseSignal(value)
		default:
			err = errors.New("unrecognized option " + name)
		}
		if err != nil {
			return "scancel: " + err.Error() + "\n", 1
		}
		args = args[1:]
	}
	return each(args, func(id string) error {
		switch {
		case signal == "":
			return s.world.Cancel(user, id)
		case !batch:
			return errors.New("signals to steps are not simulated")
		}
		return s.world.Signal(user, id, signal)
	})
}

func complaint(err error) string {
	var e *slurm.Error
	if errors.As(err, &e) {
		return e.Text
	}
	return err.Error()
}

func atoi(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // no number is job 0, which is unknown
	return n
}

func (s *Server) scontrolUpdate(user string, args []string) (string, int) {
	var u sim.Update
	var id int64
	for _, a := range args {
		key, value, _ := strings.Cut(a, "=")
		n := atoi(value)
		switch strings.ToLower(key) {
		case "jobid":
			id = n
		case "priority":
			u.Priority = &n
		case "nice":
			u.Nice = &n
		case "sitefactor":
			u.SiteFactor = &n
		case "starttime":
			t, ok := s.moment(value)
			if !ok {
				return "Invalid time specification " + value + "\n", 1
			}
			u.Begin = &t
		default:
			return "Update of this parameter is not supported: " + a + "\n", 1
		}
	}
	if err := s.world.Update(user, id, u); err != nil {
		return complaint(err) + " for job " + strconv.FormatInt(id, 10) + "\n", 1
	}
	return "", 0
}

// ScontrolRequest is the body of POST /scontrol, by which a stand-in program
// in another process reaches Scontrol.
type ScontrolRequest struct {
	User string   `json:"user"`
	Args []string `json:"args"`
}

// ScontrolReply is the answer.
type ScontrolReply struct {
	Output string `json:"output"`
	Status int    `json:"status"`
}

func (s *Server) scontrolCall(c *request) reply {
	var q ScontrolRequest
	if c.r.Method != http.MethodPost || json.Unmarshal(c.body, &q) != nil {
		return reply{status: http.StatusBadRequest, text: "want POST {\"user\":…,\"args\":[…]}"}
	}
	c.user, c.call.User = q.User, q.User
	out, status := s.scontrol(q.User, q.Args)
	return reply{status: http.StatusOK, body: wire.Object("output", out, "status", status)}
}
