package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"fairbridge/api"
)

// How long it is believed what the host says of a user, that it knows none, and that it could not
// be asked; and how many commands run at once.
const (
	knownLife   = time.Minute
	unknownLife = 5 * time.Second
	failureLife = time.Second
	maxAnswers  = 10_000
	hostTimeout = 5 * time.Second
	maxAsked    = 8
)

// hostUsers asks the host for its users, by its own commands: those know the directory
// services that it is set up for, which this program, linked to no C library, does not.
type hostUsers struct {
	now func() time.Time
	run func(ctx context.Context, name string, args ...string) (string, error)

	slots chan struct{}

	mu      sync.Mutex
	answers map[string]hostAnswer    // by command
	asked   map[string]chan struct{} // commands that run, closed at their end
}

type hostAnswer struct {
	text  string
	err   error
	until time.Time
}

func newHostUsers(now func() time.Time) *hostUsers {
	return &hostUsers{
		now: now, run: runHostCommand, slots: make(chan struct{}, maxAsked),
		answers: map[string]hostAnswer{}, asked: map[string]chan struct{}{},
	}
}

// errNotThere says that the host knows no such user or group.
var errNotThere = errors.New("the host knows none")

// notFoundStatus is what getent ends with for what is not there.
const notFoundStatus = 2

func runHostCommand(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == notFoundStatus && name == "getent" {
		return "", errNotThere
	}
	if err != nil {
		return "", fmt.Errorf("running %s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(bytes.TrimSuffix(out, []byte("\n"))), nil
}

// passwdName returns the name of a line of passwd.
func passwdName(line string) string {
	name, _, _ := strings.Cut(line, ":")
	return name
}

// nameOf returns the name of a user id on this host.
func (h *hostUsers) nameOf(ctx context.Context, uid uint32) (string, error) {
	id := strconv.FormatUint(uint64(uid), 10)
	line, err := h.ask(ctx, "getent", "passwd", id)
	name := passwdName(line)
	fields := strings.Split(line, ":")
	switch {
	case errors.Is(err, errNotThere) || err == nil && (len(fields) < 7 || fields[2] != id || !isName(name)):
		return "", refuse("the user id "+id+" has no name on fairbridge's host", "the host where fairbridge runs must know the users of the cluster")
	case err != nil:
		return "", newUnaskable()
	}
	return name, nil
}

// check returns an error where this host knows no user of a name.
func (h *hostUsers) check(ctx context.Context, name string) error {
	if !isName(name) {
		return refuse("what names the user is no name of one", "")
	}
	line, err := h.ask(ctx, "getent", "passwd", name)
	switch {
	case errors.Is(err, errNotThere) || err == nil && passwdName(line) != name: // a number is looked up as an id
		return refuse("fairbridge's host knows no such user", "name users as Slurm does")
	case err != nil:
		return newUnaskable()
	}
	return nil
}

// isMember reports whether a user is in a group of this host.
func (h *hostUsers) isMember(ctx context.Context, user, group string) (bool, error) {
	line, err := h.ask(ctx, "getent", "group", group)
	if errors.Is(err, errNotThere) {
		return false, fmt.Errorf("this host has no group %s", group)
	}
	if err != nil {
		return false, err
	}
	fields := strings.Split(line, ":")
	if len(fields) < 4 || fields[0] != group {
		return false, fmt.Errorf("this host has no group %s", group)
	}
	ids, err := h.ask(ctx, "id", "-G", "--", user)
	return err == nil && slices.Contains(strings.Fields(ids), fields[2]), err
}

// isName reports whether a text may be a user's name, also of a directory service. It is an
// argument of a command, and no option.
func isName(s string) bool {
	return s != "" && len(s) <= 256 && s[0] != '-' && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsPrint(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar || strings.ContainsRune(`:/,;"'`, r)
	})
}

func newUnaskable() *api.Error {
	return &api.Error{Code: api.CodeUnavailable, Message: "fairbridge's host could not be asked who its users are", Try: "try again"}
}
