package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"fairbridge/bridge/slurm"
)

// ReadRights returns the Slurm user we are and the administrator level slurmdbd
// gives it: "None", "Operator" or "Administrator". It fails where there is no
// slurmdbd, level "" then, or the user is only known to slurmrestd, which has level "None".
func (c *Client) ReadRights(ctx context.Context) (user, level string, err error) {
	user = c.conn.User()
	if user == "" {
		return "", "", errors.New("slurmrestd authenticates this socket by its own user: look at that user with sacctmgr show user")
	}
	path := "/slurmdb/" + c.API().Name() + "/user/" + url.PathEscape(user)
	_, err = c.conn.Get(ctx, path, func(r io.Reader) (m slurm.ReplyMeta, err error) {
		level, err = readAdminLevel(r, user)
		return m, err
	})
	if err != nil {
		return user, level, fmt.Errorf("asking slurmdbd for the rights of %s: %w", user, err)
	}
	return user, level, nil
}

// readAdminLevel finds the user's administrator_level, a word in 22.05 and a list
// of words later.
func readAdminLevel(r io.Reader, user string) (string, error) {
	var doc struct {
		Users []struct {
			Name  string          `json:"name"`
			Level json.RawMessage `json:"administrator_level"`
		} `json:"users"`
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return "", err
	}
	for _, u := range doc.Users {
		if u.Name == user {
			return strings.Trim(strings.TrimSpace(string(u.Level)), "[]\" \n\t"), nil
		}
	}
	return "None", fmt.Errorf("slurmdbd does not know user %s: "+
		"sacctmgr add user %s account=root adminlevel=Operator", user, user)
}
