// Package throwaway brings up a whole Slurm with virtual GPU nodes on this machine, for demonstrations and tests, and
// takes it away again. It is made of the distribution's packages, in namespaces of its own: a Slurm, munge or database
// this machine runs is neither used nor touched.
package throwaway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ErrUnavailable says that this machine cannot run the throw-away Slurm; the error around it says why.
var ErrUnavailable = errors.New("no throw-away Slurm here")

// Options are the sizes of a throw-away Slurm. The zero value is 4 nodes with 8 GPUs each.
type Options struct {
	NodeCount   int    // nodes n1, n2, ...; 1 to 256, 0 means 4
	GPUsPerNode int    // GPUs per node; 1 to 64, 0 means 8
	GPUTypes    string // types of GPU that the nodes have in turn, a space between two: "a100 v100"; "" means a100
	Shards      string // shards that each GPU of the nodes consists of, in turn: "4 0"; 0 and "": none
	ExtraConf   string // further lines of slurm.conf, which win over the usual ones
	Speed       int    // seconds that a second lasts inside, 0 means 1; more than 1 needs a C compiler here
	SlurmRoot   string // root directory made by scripts/slurm/root, whose release of Slurm is run; "": this machine's
}

// Cluster is a running Slurm. Users alice, bob and carol belong to the accounts research, teaching and vision, with
// shares 2, 1 and 1; fairbridge is an Operator. There are the partitions gpu (the default), low and debug, and the QOS
// low, normal and high.
type Cluster struct {
	URL        string // of slurmrestd, which takes tokens there: http://127.0.0.1:PORT
	Socket     string // path of slurmrestd's Unix socket, which takes the user "rest" without a token
	APIVersion string // newest version this Slurm serves, as in v0.0.38
	TokenUser  string // owner of the token, an Operator
	TokenFile  string // holds a token of User, good for a day; mode 0600

	clock         clock
	commandPrefix []string // command that runs the words after it in the cluster
	stop          func() error
}

// StartSlurm starts a cluster in dir, about ten seconds, and returns when every node is idle. With an empty dir it uses a
// new temporary one and removes it at the end; otherwise dir and the logs in it (var/log) stay. The cluster ends at
// Stop, or when this process ends, however that happens. The error is ErrUnavailable where Slurm cannot run; where one of
// its daemons ended at its start the error names it and its log, which stays.
func StartSlurm(ctx context.Context, dir string, o Options) (*Cluster, error) {
	temporary := dir == ""
	dir, err := prepareDir(dir)
	if err != nil {
		return nil, fmt.Errorf("preparing a directory for Slurm: %w", err)
	}
	tools := filepath.Join(dir, toolsDir)
	if err := checkPrerequisites(ctx, tools, o.SlurmRoot); err != nil {
		if temporary {
			err = errors.Join(err, os.RemoveAll(dir))
		}
		return nil, err
	}
	up := scriptCommand(ctx, tools, "up", dir, strconv.Itoa(cmp.Or(o.NodeCount, 4)), strconv.Itoa(cmp.Or(o.GPUsPerNode, 8)),
		"--foreground-pid", strconv.Itoa(os.Getpid()))
	up.Env = append(os.Environ(), "FAIRBRIDGE_SLURM_CONF="+o.ExtraConf, "FAIRBRIDGE_SLURM_ROOT="+o.SlurmRoot, "FAIRBRIDGE_SLURM_TYPES="+o.GPUTypes, "FAIRBRIDGE_SLURM_SHARDS="+o.Shards,
		"FAIRBRIDGE_SLURM_SPEED="+strconv.Itoa(max(o.Speed, 1)))
	down := scriptCommand(context.WithoutCancel(ctx), tools, "down", dir)
	if temporary {
		up.Args, down.Args = append(up.Args, "--wipe"), append(down.Args, "--wipe")
	}
	c := &Cluster{commandPrefix: []string{filepath.Join(tools, "in"), dir}}
	c.stop = sync.OnceValue(func() error { _, err := runForOutput(down, nil); return err })
	if err := c.start(ctx, dir, up); err != nil {
		if ctx.Err() == nil { // nobody ended it: the error names logs, which stay
			down.Args = slices.DeleteFunc(down.Args, func(word string) bool { return word == "--wipe" })
		}
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, dir string, up *exec.Cmd) error {
	if _, err := runForOutput(up, nil); err != nil {
		return fmt.Errorf("starting a throw-away Slurm: %w", err)
	}
	if err := c.readAccess(ctx, filepath.Join(dir, toolsDir), dir, "fairbridge", filepath.Join(dir, "token")); err != nil {
		return err
	}
	c.Socket = filepath.Join(dir, "run/slurmrestd/rest.sock") // unquoted
	var err error
	c.clock, err = readClock(dir)
	return err
}

// checkPrerequisites says why a throw-away Slurm cannot run here.
func checkPrerequisites(ctx context.Context, tools, root string) error {
	var no *exec.ExitError
	what := "--check"
	if root != "" {
		what = "--check-namespaces"
	}
	_, err := runForOutput(scriptCommand(ctx, tools, "install", what), nil)
	if errors.As(err, &no) && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// ReleaseRootsVariable is the environment variable that names a directory of root directories of other releases, each made by
// scripts/slurm/root and called by its release: DIR/24.11.
const ReleaseRootsVariable = "FAIRBRIDGE_SLURM_ROOTS"

// FindReleaseRoot returns the root directory of a release ("24.11"). The error is ErrUnavailable when there is none.
func FindReleaseRoot(release string) (string, error) {
	roots := os.Getenv(ReleaseRootsVariable)
	if roots == "" {
		return "", fmt.Errorf("%w: %s is not set (scripts/slurm/root %s DIR/%s makes one)", ErrUnavailable, ReleaseRootsVariable, release, release)
	}
	root := filepath.Join(roots, release)
	if _, err := os.Stat(filepath.Join(root, ".fairbridge-root")); err != nil {
		return "", fmt.Errorf("%w: no root directory of Slurm %s: %w", ErrUnavailable, release, err)
	}
	return root, nil
}

// Stop ends the cluster at once. It may be called again.
func (c *Cluster) Stop() error { return c.stop() }

// Upgrade exchanges slurmdbd, slurmctld and slurmrestd for those of the release in another root directory, as an
// upgrade does, while nodes and jobs run on. The cluster must run from a root directory (Options.SlurmRoot).
func (c *Cluster) Upgrade(ctx context.Context, root string) error {
	in, dir := c.commandPrefix[0], c.commandPrefix[1]
	if _, err := runForOutput(scriptCommand(ctx, filepath.Dir(in), "upgrade", dir, root), nil); err != nil {
		return fmt.Errorf("upgrading a throw-away Slurm: %w", err)
	}
	return nil
}

// Command is argv, to be run inside the cluster as the named user, in that user's home.
func (c *Cluster) Command(ctx context.Context, user string, argv ...string) *exec.Cmd {
	words := append(c.commandPrefix[1:len(c.commandPrefix):len(c.commandPrefix)], argv...)
	cmd := exec.CommandContext(ctx, c.commandPrefix[0], words...)
	cmd.Env = append(os.Environ(), "AS="+user)
	return cmd
}

// Run runs argv inside the cluster as the named user and returns what it wrote to standard output. The error holds
// what it wrote to standard error.
func (c *Cluster) Run(ctx context.Context, user string, argv ...string) (string, error) {
	return runForOutput(c.Command(ctx, user, argv...), nil)
}

// NewToken is a fresh token of any user, good for an hour. Keep it out of logs.
func (c *Cluster) NewToken(ctx context.Context, user string) (string, error) {
	out, err := c.Run(ctx, "root", "scontrol", "token", "username="+user, "lifespan=3600")
	if err != nil {
		return "", fmt.Errorf("making a token for %s: %w", user, err)
	}
	return strings.TrimPrefix(strings.TrimSpace(out), "SLURM_JWT="), nil
}
