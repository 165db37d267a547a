package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/safefile"
	"fairbridge/policy"
)

// Fixes for what a call to Slurm can end with.
var fixByErrorClass = map[slurm.ErrorClass]string{
	slurm.ErrorUnreachable:      "start slurmrestd, or correct slurm.url",
	slurm.ErrorBadToken:         "mint a new token: scontrol token username=fairbridge lifespan=3600, and put it where slurm.token_file or slurm.token_env says",
	slurm.ErrorVersionNotServed: "correct slurm.url: this is no slurmrestd we can talk to; or remove slurm.api",
	slurm.ErrorForbidden:        "sacctmgr modify user fairbridge set adminlevel=Operator",
	slurm.ErrorGarbledReply:     "correct slurm.url: something else answers there",
	slurm.ErrorBusy:             "is slurmctld up? scontrol ping",
	slurm.ErrorOutcomeUnknown:   "is slurmrestd overloaded? raise slurm.timeout, look at its log",
	slurm.ErrorBadRequest:       "a fault of ours or a new Slurm: try an older version with slurm.api, and report it",
}

// checkSlurm looks at slurmrestd, our rights and the clocks, and returns what it
// saw; nil when nothing could be read. tells says that jobs are to be told why they wait.
func (r *Report) checkSlurm(ctx context.Context, open func(context.Context) (*rest.Client, error), cluster string, tells bool, now func() time.Time) *slurm.View {
	c, err := open(ctx)
	if err != nil {
		r.addFinding("slurm", LevelFail, fixForError(err), "no connection: %v", err)
		return nil
	}
	from := now()
	v, err := c.Observe(ctx)
	if err != nil {
		r.addFinding("slurm", LevelFail, fixForError(err), "reading jobs and nodes: %v", err)
		return nil
	}
	r.addOK("slurm", "Slurm %s by %s: %s, %s in %v", v.Release, v.APIVersion, policy.FormatCount(len(v.Jobs), "job"), policy.FormatCount(len(v.Nodes), "node"), now().Sub(from).Round(time.Millisecond))
	r.checkToken(c, now())
	if w := c.VersionWarning(); w != "" {
		r.addFinding("slurm", LevelWarn, "update fairbridge, or pin an older version with slurm.api", "%s", w)
	}
	if v.Cluster != "" && v.Cluster != cluster {
		r.addFinding("slurm", LevelFail, "set cluster: "+v.Cluster, "this is cluster %q, the configuration says %q", v.Cluster, cluster)
	}
	for _, w := range v.Warnings {
		r.addFinding("slurm", LevelWarn, "", "Slurm warns: %s", w)
	}
	r.checkRights(ctx, c, tells && v.CanWriteAdminComment)
	if tells && !v.CanWriteAdminComment {
		r.addFinding("rights", LevelFail, "order.admin_comment: false, or Slurm 23.11 or later", "order.admin_comment is on, and %s cannot write an admin_comment: no job is told why it waits", v.APIVersion)
	}
	r.checkClock(v)
	return v
}

func fixForError(err error) string {
	var e *slurm.Error
	var file *safefile.Error
	switch {
	case errors.As(err, &file): // the token's
		return file.FixCommand
	case errors.As(err, &e) && e.Class == slurm.ErrorUnreachable && errors.Is(err, fs.ErrPermission): // of the socket
		return "usermod -aG slurmrestd-fairbridge fairbridge, and restart what ran before"
	case e != nil && e.Class == slurm.ErrorUnreachable:
		return fixByErrorClass[e.Class]
	case errors.Is(err, fs.ErrNotExist):
		return "correct slurm.token_file, or let cron write a token there, as the quick start shows"
	case errors.Is(err, fs.ErrPermission):
		return "chown fairbridge: the token's file, fairbridge being the daemon's user; run doctor as that user"
	case errors.As(err, &e):
		return fixByErrorClass[e.Class]
	}
	return "correct slurm.url, or where the token comes from: slurm.token_file, slurm.key_file and slurm.user"
}

// checkRights looks at the level of the token's user, of whom telling jobs asks for more than all
// else does.
func (r *Report) checkRights(ctx context.Context, c *rest.Client, tells bool) {
	user, level, err := c.ReadRights(ctx)
	if err != nil {
		r.addFinding("rights", LevelSkip, "sacctmgr show user fairbridge format=user,adminlevel", "%v", err)
		return
	}
	*r = append(*r, checkLevel(user, level, tells))
}

func checkLevel(user, level string, tells bool) Finding {
	set := "sacctmgr modify user " + user + " set adminlevel="
	switch {
	case tells && level == "Administrator":
		return Finding{Subject: "rights", Level: LevelOK, Text: user + " is Administrator, as order.admin_comment asks"}
	case tells && level == "Operator":
		return Finding{Subject: "rights", Level: LevelFail, Fix: set + "Administrator, or order.admin_comment: false",
			Text: user + " is Operator, and order.admin_comment is on: Slurm takes an admin_comment from Administrators only, so that no job is told why it waits; all else works"}
	case level == "Operator":
		return Finding{Subject: "rights", Level: LevelOK, Text: user + " is Operator"}
	case level == "Administrator":
		return Finding{Subject: "rights", Level: LevelWarn, Fix: set + "Operator", Text: user + " is Administrator: more than is needed"}
	}
	return Finding{Subject: "rights", Level: LevelFail, Fix: set + "Operator", Text: user + " has level " + level + ": it sees or changes too little"}
}

// maxClockSkew is the clock difference beyond which nothing is pushed.
const maxClockSkew = 5 * time.Second

// clockResolution is how well a difference is known: Slurm tells whole seconds, and its answer
// takes a while.
const clockResolution = 2 * time.Second

// checkClock compares the moment of the view by both clocks.
func (r *Report) checkClock(v *slurm.View) {
	d := v.ReadAt.Sub(v.At).Round(100 * time.Millisecond)
	switch {
	case d.Abs() > maxClockSkew:
		r.addFinding("clock", LevelFail, "run chrony or systemd-timesyncd on both hosts", "our clock and Slurm's differ by %v", d)
	case d.Abs() <= clockResolution:
		r.addOK("clock", "our clock and Slurm's agree to within %v", clockResolution)
	default:
		r.addOK("clock", "our clock and Slurm's differ by %v; up to %v does no harm", d, maxClockSkew)
	}
}

// checkPartitions looks at the partitions the configuration names.
func (r *Report) checkPartitions(v *slurm.View, names []string) {
	for _, name := range names {
		i := slices.IndexFunc(v.Partitions, func(p slurm.Partition) bool { return p.Name == name })
		if i < 0 {
			r.addFinding("partition", LevelFail, "correct partitions in the configuration; scontrol show partition lists them", "partition %s does not exist", name)
			continue
		}
		gpus, nodes := 0, 0
		for i := range v.Nodes {
			if n := v.Nodes[i].GPUCount(""); n > 0 && slices.Contains(v.Nodes[i].Partitions, name) {
				gpus, nodes = gpus+n, nodes+1
			}
		}
		if gpus == 0 {
			r.addFinding("partition", LevelFail, "configure Gres=gpu:… on its nodes, or leave the partition out", "partition %s has no GPUs", name)
			continue
		}
		r.addOK("partition", "%s: %s on %s", name, policy.FormatCount(gpus, "GPU"), policy.FormatCount(nodes, "node"))
		r.checkWholeNodes(v, &v.Partitions[i])
	}
}

// checkWholeNodes says which part of the GPUs a partition leaves idle by giving each job whole nodes: those
// of the nodes of its running jobs that these did not ask for.
func (r *Report) checkWholeNodes(v *slurm.View, p *slurm.Partition) {
	if p.Exclusive != "YES" {
		return
	}
	asked, held := 0, 0
	for i := range v.Jobs {
		j := &v.Jobs[i]
		wants, err := j.RequestedGPUs()
		if err != nil || !j.IsRunning() || !j.IsInPartition(p.Name) {
			continue
		}
		asked += wants.Count
		for _, name := range j.Nodes.Names {
			if n := v.Node(name); n != nil {
				held += n.GPUCount("")
			}
		}
	}
	said := "no job runs in it now"
	if held > 0 {
		said = fmt.Sprintf("its running jobs asked for %d of the %d GPUs of the nodes they hold: %.0f %% are left idle",
			asked, held, 100*float64(held-asked)/float64(held))
	}
	fix := "scontrol update partitionname=" + p.Name + " oversubscribe=no, and the same in slurm.conf, " +
		"if jobs of several owners may share a node"
	r.addFinding("partition", LevelWarn, fix,
		"%s gives each job whole nodes (OverSubscribe=EXCLUSIVE), which fairbridge leaves to Slurm: %s", p.Name, said)
}

// checkToken looks at how long the token is good.
func (r *Report) checkToken(c *rest.Client, now time.Time) {
	t, err := c.Token()
	if err != nil {
		return // told by whatever needed it
	}
	if what := t.WeaknessWarning(now); what != "" {
		r.addFinding("token", LevelWarn, "renew it by cron with scontrol token username="+t.User+" lifespan=3600, as the quick start shows", "%s", what)
	}
}
