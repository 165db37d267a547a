package identity

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/slurm/slurmdb"
)

// roleOf returns the role that a user has now, and why a higher one is not known.
func (p *place) roleOf(t *testing.T, user string) (api.Role, string) {
	t.Helper()
	v := p.newViewer(t.Context(), proof{user, "socket"})
	if v.IsOperator() && v.RoleUnknown != "" || v.Role == api.RoleCoordinator && len(v.Accounts) == 0 {
		t.Errorf("%+v", v)
	}
	return v.Role, v.RoleUnknown
}

func TestConfiguredOperators(t *testing.T) {
	p := newPlace(t, func(c *Config) { c.Operators = []string{"bob", "@staff"} })
	for user, want := range map[string]api.Role{"alice": api.RoleUser, "bob": api.RoleOperator, "dave": api.RoleOperator, "oper": api.RoleOperator, "staff": api.RoleUser, "@staff": api.RoleUser} {
		if got, why := p.roleOf(t, user); got != want {
			t.Errorf("%s is %s (%s)", user, got, why)
		}
	}
}

// TestRoleThatCannotBeTold is the least, and says why.
func TestRoleThatCannotBeTold(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"a group cannot be read": func(c *Config) { c.Operators = []string{"@broken", "@none"} },
		"nothing is asked":       func(c *Config) { c.ReadUsers = nil },
		"slurmdbd fails": func(c *Config) {
			c.ReadUsers = func(context.Context) ([]slurmdb.User, error) { return nil, errors.New("gone: token of the daemon") }
		},
		"slurmdbd shows nobody": func(c *Config) { c.ReadUsers = func(context.Context) ([]slurmdb.User, error) { return nil, nil } },
	} {
		p := newPlace(t, change)
		if role, why := p.roleOf(t, "alice"); role != api.RoleUser || why == "" || strings.Contains(why, "token") {
			t.Errorf("%s: %s %q", name, role, why)
		}
	}
}

// TestRightsEnd: what was read is believed for a while when Slurm is gone, then no more; and
// what is taken away is gone with the next reading.
func TestRightsEnd(t *testing.T) {
	p := newPlace(t, nil)
	want := func(when string, user string, role api.Role) {
		t.Helper()
		if got, why := p.roleOf(t, user); got != role {
			t.Errorf("%s: %s is %s (%s)", when, user, got, why)
		}
	}
	p.fails = errors.New("slurmdbd is gone")
	p.now = p.now.Add(MaxKnownAge)
	p.rights.refresh(t.Context())
	want("soon", "oper", api.RoleOperator)
	want("soon", "carol", api.RoleCoordinator)
	p.now = p.now.Add(time.Second)
	p.rights.refresh(t.Context())
	want("later", "oper", api.RoleUser)
	want("later", "carol", api.RoleUser)
	if n := strings.Count(p.log.String(), "failed"); n != 1 {
		t.Errorf("it is told %d times: %s", n, &p.log)
	}
	p.fails = nil
	p.rights.refresh(t.Context())
	want("again", "oper", api.RoleOperator)
	p.users[2].IsOperator = false
	p.rights.refresh(t.Context())
	want("taken", "oper", api.RoleUser)
	p.now = p.now.Add(-2 * MaxKnownAge)
	want("a clock set back", "carol", api.RoleUser)
}

func TestPrivacy(t *testing.T) {
	for text, want := range map[string]api.Privacy{
		"none":                     {},
		"jobs,usage":               {Jobs: true, Usage: true},
		"accounts, Nodes, cloud":   {Nodes: true},
		"all":                      {Jobs: true, Usage: true, Nodes: true},
		"cloud,events,users":       {},
		"":                         api.AllPrivate(""),
		"(null)":                   api.AllPrivate(""),
		"jobs,nodes,usage,reserva": {Jobs: true, Usage: true, Nodes: true},
	} {
		p := newPlace(t, nil)
		p.conf = map[string]string{"PrivateData": text}
		p.slurmConf.refresh(t.Context())
		got := p.PrivacyNow()
		if want.Source = got.Source; got != want || got.Source == "" {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestPrivacyOfSlurmdbd: what sacct and sreport hide is hidden too, and what was read once stands.
func TestPrivacyOfSlurmdbd(t *testing.T) {
	for _, c := range []struct {
		slurm, slurmdbd string
		want            api.Privacy
	}{
		{"none", "jobs", api.Privacy{Jobs: true}}, {"none", "usage,users", api.Privacy{Usage: true}}, {"jobs,nodes", "usage", api.AllPrivate("")},
		{"jobs", "none", api.Privacy{Jobs: true}}, {"none", "", api.Privacy{}}, {"none", "nodes", api.Privacy{}}, {"", "none", api.AllPrivate("")},
	} {
		p := newPlace(t, nil)
		p.conf, p.dbdConf = map[string]string{"PrivateData": c.slurm}, map[string]string{"PrivateData": c.slurmdbd}
		p.slurmConf.refresh(t.Context())
		p.Identifier.dbdConf.refresh(t.Context())
		check := func(when string) {
			got := p.PrivacyNow()
			if c.want.Source = got.Source; got != c.want {
				t.Errorf("%s, %+v: %+v", when, c, got)
			}
		}
		check("read")
		p.now, p.fails = p.now.Add(MaxKnownAge+time.Second), errors.New("slurmdbd is away")
		p.Identifier.dbdConf.refresh(t.Context())
		p.fails = nil
		p.slurmConf.refresh(t.Context())
		check("long after")
	}
}

// TestPrivacyThatIsNotKnown is all of it; the configuration wins over everything.
func TestPrivacyThatIsNotKnown(t *testing.T) {
	p := newPlace(t, func(c *Config) { c.ReadSlurmConf = nil })
	if got := p.PrivacyNow(); !got.Jobs || !got.Usage || !got.Nodes {
		t.Errorf("nothing is asked: %+v", got)
	}
	p = newPlace(t, nil)
	p.now = p.now.Add(MaxKnownAge + time.Second)
	if got := p.PrivacyNow(); !got.Jobs || !got.Usage || !got.Nodes {
		t.Errorf("too old: %+v", got)
	}
	p = newPlace(t, func(c *Config) { c.Private, c.ReadSlurmConf = []string{"usage"}, nil })
	if got := p.PrivacyNow(); got.Jobs || !got.Usage || got.Nodes || !strings.Contains(got.Source, "api.private") {
		t.Errorf("configured: %+v", got)
	}
	p = newPlace(t, func(c *Config) { c.Private = []string{"none"} })
	if got := p.PrivacyNow(); got.Jobs || got.Usage || got.Nodes {
		t.Errorf("none: %+v", got)
	}
}

// TestRun reads at once and ends with its context.
func TestRun(t *testing.T) {
	p := newPlace(t, nil)
	i, err := New(p.cfg)
	if err != nil {
		t.Fatal(err)
	}
	i.users.run = fakeHost
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { i.Run(ctx); close(done) }()
	v, err := i.Identify(fromSocket(newRequest("GET", "/v1/me", ""), 1004))
	if err != nil || !v.IsOperator() {
		t.Errorf("%+v %v", v, err)
	}
	cancel()
	<-done
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{"alice": true, "j.doe": true, "a_b-c1": true, "dom\\alice": true, "jörg": true, "u@x": true,
		"": false, "-x": false, "a b": false, "a:b": false, "a\x1b[0m": false, "a/b": false, "../x": false, "a,b": false, "\xff": false, strings.Repeat("a", 257): false} {
		if isName(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}
