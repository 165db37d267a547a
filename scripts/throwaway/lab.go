package throwaway

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// LabVariable is the environment variable that names a directory with the two programs through which Lab reaches
// running Slurms of other releases: "env VERSION USER" prints shell exports as scripts/slurm/env does, and
// "in VERSION COMMAND..." runs a command inside as the user named by AS.
const LabVariable = "FAIRBRIDGE_SLURM_LAB"

// AttachToLab attaches to a running Slurm of a release ("26.05") that somebody else started, and leaves it running: Stop does
// nothing but forget the token. The error is ErrUnavailable when there is none.
func AttachToLab(ctx context.Context, release string) (*Cluster, error) {
	tools := os.Getenv(LabVariable)
	if tools == "" {
		return nil, fmt.Errorf("%w: %s is not set", ErrUnavailable, LabVariable)
	}
	dir, err := os.MkdirTemp("", "fairbridge-lab-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{commandPrefix: []string{filepath.Join(tools, "in"), release}, stop: func() error { return os.RemoveAll(dir) }}
	if err := c.readAccess(ctx, tools, release, "oper", filepath.Join(dir, "token")); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: Slurm %s: %w", ErrUnavailable, release, err), c.Stop())
	}
	return c, nil
}

// readAccess asks the program env of tools how to reach the cluster as user, and stores the token it says.
func (c *Cluster) readAccess(ctx context.Context, tools, which, user, tokenFile string) error {
	out, err := runForOutput(scriptCommand(ctx, tools, "env", which, user), nil)
	if err != nil {
		return fmt.Errorf("asking for a token: %w", err)
	}
	v := parseExports(out)
	for _, name := range []string{"SLURMRESTD", "SLURM_API", "SLURM_JWT"} {
		if v[name] == "" {
			return fmt.Errorf("%s/env said nothing of %s", tools, name)
		}
	}
	c.URL, c.Socket, c.APIVersion, c.TokenUser = v["SLURMRESTD"], v["SLURMRESTD_SOCK"], v["SLURM_API"], user
	c.TokenFile = tokenFile
	return os.WriteFile(tokenFile, []byte(v["SLURM_JWT"]+"\n"), 0o600)
}

// parseExports reads lines of the form "export NAME=VALUE"; values here have nothing that needs quotes.
func parseExports(text string) map[string]string {
	v := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "="); ok {
			v[name] = value
		}
	}
	return v
}
