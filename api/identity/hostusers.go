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
	"fairbridge/bridge/slurm/slurmdb"
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

// readRights returns what slurmdbd's users may do, by name.
func readRights(ctx context.Context, read func(context.Context) ([]slurmdb.User, error)) (map[string]slurmdb.User, error) {
	users, err := read(ctx)
	if err != nil {
		return nil, err
	}
	if len(users) == 0 { // root is always one
		return nil, errors.New("slurmdbd showed no users at all")
	}
	byName := make(map[string]slurmdb.User, len(users))
	for _, u := range users {
		byName[u.Name] = u
	}
	return byName, nil
}

// newViewer gives who asks their role: the least where it cannot be told.
func (i *Identifier) newViewer(ctx context.Context, p proof) api.Viewer {
	v := api.Viewer{User: p.user, Role: api.RoleUser, Origin: p.origin}
	isOperator, unsure := i.isConfiguredOperator(ctx, p.user)
	if isOperator {
		v.Role = api.RoleOperator
		return v
	}
	rights, known := i.rights.get(ctx)
	u, found := rights[p.user]
	switch {
	case u.IsOperator:
		v.Role = api.RoleOperator
		return v
	case len(u.CoordinatedAccounts) > 0:
		v.Role, v.Accounts = api.RoleCoordinator, slices.Clone(u.CoordinatedAccounts)
	case i.rights.read == nil:
		unsure = append(unsure, "Slurm's accounting is not asked")
	case !known:
		unsure = append(unsure, "Slurm's accounting could not be asked lately what users may do")
	case !found:
		unsure = append(unsure, "Slurm's accounting does not know the user")
	}
	v.RoleUnknown = strings.Join(unsure, "; ")
	return v
}

// isConfiguredOperator reports whether the configuration makes a user an operator, and what
// keeps it from being told.
func (i *Identifier) isConfiguredOperator(ctx context.Context, user string) (is bool, unsure []string) {
	for _, entry := range i.cfg.Operators {
		group, isGroup := strings.CutPrefix(entry, "@")
		if !isGroup {
			if entry == user {
				return true, nil
			}
			continue
		}
		member, err := i.users.isMember(ctx, user, group)
		if member {
			return true, nil
		}
		if err != nil {
			unsure = append(unsure, "the groups of fairbridge's host could not be read")
		}
	}
	return false, slices.Compact(unsure)
}

// CheckOperators returns an error for each of a configuration's operators that this host does
// not know, as a user or a @group.
func CheckOperators(ctx context.Context, operators []string) []error {
	h := newHostUsers(time.Now)
	var all []error
	for _, entry := range operators {
		group, isGroup := strings.CutPrefix(entry, "@")
		if !isGroup {
			if err := h.check(ctx, entry); err != nil {
				all = append(all, fmt.Errorf("operator %s: %w", entry, err))
			}
			continue
		}
		if _, err := h.ask(ctx, "getent", "group", group); err != nil {
			all = append(all, fmt.Errorf("operators @%s: asking for the group: %w", group, err))
		}
	}
	return all
}

// ask runs a command, or repeats what it said lately. The same is run once at a time, and only a few
// at once: while a directory service hangs, each takes until its time is over.
func (h *hostUsers) ask(ctx context.Context, name string, args ...string) (string, error) {
	key := name + "\x00" + strings.Join(args, "\x00")
	for {
		a, running, known := h.answerOrTurn(key)
		switch {
		case known:
			return a.text, a.err
		case running == nil:
			return h.runOnce(ctx, key, name, args)
		}
		select {
		case <-running:
		case <-ctx.Done():
			return "", fmt.Errorf("waiting for %s: %w", name, context.Cause(ctx))
		}
	}
}

// answerOrTurn returns what is known, or what to wait for while somebody else asks. Where it
// returns neither it is the caller's turn: runOnce must follow.
func (h *hostUsers) answerOrTurn(key string) (a hostAnswer, running <-chan struct{}, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a, ok := h.answers[key]; ok && h.now().Before(a.until) {
		return a, nil, true
	}
	if c, ok := h.asked[key]; ok {
		return a, c, false
	}
	h.asked[key] = make(chan struct{})
	return a, nil, false
}

// runOnce runs a command when it is its turn, and keeps what it says; not that who asked went away.
func (h *hostUsers) runOnce(ctx context.Context, key, name string, args []string) (text string, err error) {
	defer func() { h.keep(key, text, err, ctx.Err() == nil) }()
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return "", fmt.Errorf("waiting to run %s: %w", name, context.Cause(ctx))
	}
	return h.run(ctx, name, args...)
}

// keep notes what a command said, and lets those go on who wait for it.
func (h *hostUsers) keep(key, text string, err error, believed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.asked[key])
	delete(h.asked, key)
	if err != nil && !believed {
		return
	}
	life := failureLife
	if err == nil {
		life = knownLife
	} else if errors.Is(err, errNotThere) {
		life = unknownLife
	}
	if len(h.answers) >= maxAnswers {
		clear(h.answers)
	}
	h.answers[key] = hostAnswer{text, err, h.now().Add(life)}
}
