package slurmtest

import (
	"net/http"
	"strconv"
	"strings"

	"fairbridge/bridge/slurmtest/wire"
)

// userPath takes "/slurmdb/v0.0.45/user/rest" apart.
func userPath(path string) (version int, name string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/slurmdb/v0.0.")
	v, name, found := strings.Cut(rest, "/user/")
	version, err := strconv.Atoi(v)
	return version, strings.TrimSuffix(name, "/"), ok && found && err == nil
}

// user is what slurmdbd says of a user: the rights, one word in 22.05 and a
// list later.
func (s *Server) user(c *request, name string, good bool) reply {
	if !good {
		return s.failed(c, http.StatusInternalServerError, 1007, "Protocol authentication error", "slurmdb_users_get", "users", []any{})
	}
	level := "None"
	if s.world.IsOperator(name) {
		level = "Operator"
	}
	var shown any = []string{level}
	if c.v <= 38 {
		shown = level
	}
	return s.ok(c, "users", []any{wire.Object("name", name, "administrator_level", shown, "associations", []any{}, "coordinators", []any{})})
}
