package slurmtest

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"fairbridge/replica/sim"
)

// sign makes a token as "scontrol token" does.
func sign(t *testing.T, key string, user string, until time.Time) string {
	t.Helper()
	s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sun": user, "exp": until.Unix()}).SignedString([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhoMayComeIn(t *testing.T) {
	later := time.Date(2026, 1, 5, 1, 0, 0, 0, time.UTC)
	const none = ""
	for _, c := range []struct {
		name, token, user string
		old, new          int // status on 22.05 and on 26.05
	}{
		{"no token", none, "slurm", 401, 401},
		{"no user name", sign(t, "k", "rest", later), none, 401, 200},
		{"good", sign(t, "k", "rest", later), "rest", 200, 200},
		{"somebody else's name", sign(t, "k", "rest", later), "ann", 500, 511},
		{"SlurmUser acts for others", sign(t, "k", "slurm", later), "ann", 200, 200},
		{"expired", sign(t, "k", "rest", later.Add(-2*time.Hour)), "rest", 500, 511},
		{"forged", sign(t, "other", "rest", later), "rest", 500, 511},
		{"garbage", "garbage", "rest", 500, 511},
	} {
		for release, want := range map[string]int{"22.05.8": c.old, "26.05.5": c.new} {
			s := start(t, release, func(c *Config) { c.SigningKey = []byte("k") })
			v := map[string]int{"22.05.8": 38, "26.05.5": 45}[release]
			a := call(t, s, "GET", path(v, "jobs/"), "", "X-SLURM-USER-TOKEN", c.token, "X-SLURM-USER-NAME", c.user)
			if a.status != want {
				t.Errorf("%s on %s: %d, want %d", c.name, release, a.status, want)
			}
			if n := a.number(); a.status == 511 && n != 1007 || a.status == 500 && n != -1 {
				t.Errorf("%s on %s: error %d", c.name, release, n)
			}
		}
	}
}

func TestDeadTokenLooksAliveToPing(t *testing.T) {
	s := start(t, "26.05.5")
	s.SetAuthState(AuthExpired)
	if a := call(t, s, "GET", path(45, "jobs/"), ""); a.status != 511 {
		t.Errorf("jobs: %d", a.status)
	}
	if a := call(t, s, "GET", path(45, "ping/"), ""); a.status != 200 {
		t.Errorf("ping: %d", a.status)
	}
	if a := call(t, s, "POST", path(45, "job/1"), `{"nice":1}`); a.status != 511 {
		t.Errorf("update: %d", a.status)
	}
	s.SetAuthState(AuthNormal)
	if a := call(t, s, "GET", path(45, "jobs/"), ""); a.status != 200 {
		t.Errorf("with a new token: %d", a.status)
	}
}

func TestTokensNameTheirUsers(t *testing.T) {
	s := start(t, "26.05.5", func(c *Config) { c.UserByToken = map[string]string{"t": "ann"} })
	submit(t, s, sim.JobSpec{User: "bob"})
	if a := call(t, s, "POST", path(45, "job/1"), `{"nice":1}`, "X-SLURM-USER-NAME", "ann"); a.number() != 2010 {
		t.Errorf("ann changes bob's job: %d %d", a.status, a.number())
	}
}

func overUnix(t *testing.T, file, path string) answer {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", file)
		},
	}}
	res, err := client.Get("http://localhost" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return answer{status: res.StatusCode}
}
