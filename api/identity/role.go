package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/slurm/slurmdb"
)

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
