package restconn

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Config says where slurmrestd is and who we are to it. At most one of
// TokenFile, TokenEnv and KeyFile is set; none is needed on a unix socket
// whose slurmrestd authenticates by its own user (rest_auth/local).
type Config struct {
	// URL is http://host:port, https://host:port or unix:///path/to/socket.
	URL string `yaml:"url"`
	// SocketUser is who must listen on a unix socket, by name or number, beside root and this process's own user.
	// Default slurmrestd-fairbridge, slurmrestd or SlurmUser.
	SocketUser string `yaml:"socket_user"`
	// TokenFile holds a JWT, alone or as SLURM_JWT=…; it is read again when it
	// changes, so whoever mints tokens renames new ones into place.
	TokenFile string `yaml:"token_file"`
	// TokenEnv names the environment variable that holds the JWT.
	TokenEnv string `yaml:"token_env"`
	// KeyFile is Slurm's HS256 key (AuthAltParameters=jwt_key=…), with which
	// short-lived tokens of User are signed. It can sign for anybody: prefer
	// a token file outside of demonstrations.
	KeyFile string `yaml:"key_file"`
	// User is the Slurm user the tokens are for; needed with KeyFile, and with
	// tokens that do not name their user.
	User string `yaml:"user"`
	// SlurmUser is slurmctld's own user, whose tokens are refused like root's
	// because they can act as anybody. Default slurm.
	SlurmUser string `yaml:"slurm_user"`
	// TokenLife is how much life a token may have left; one that has more, or
	// never ends, is refused. 0: any.
	TokenLife time.Duration `yaml:"token_life"`
	// CAFile holds the certificates (PEM) that sign an https slurmrestd's;
	// default the system's.
	CAFile string `yaml:"ca_file"`
	// Timeout bounds one request with its answer. Default 60 s: a list of
	// 10,000 jobs takes slurmrestd 7 to 16 s.
	Timeout time.Duration `yaml:"timeout"`
	// MaxBytes bounds one answer. Default 1 GiB.
	MaxBytes int64 `yaml:"max_bytes"`
	// PinAPI fixes the API version, for example v0.0.42; default the highest
	// that both sides know.
	PinAPI string `yaml:"api"`
}

// withDefaults checks the configuration and fills in the defaults.
func (c Config) withDefaults() (Config, error) {
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 1 << 30
	}
	if c.SlurmUser == "" {
		c.SlurmUser = "slurm"
	}
	if c.Timeout < 0 || c.MaxBytes < 0 {
		return c, errors.New("slurmrestd: timeout and max_bytes must be positive")
	}
	if err := c.checkAuth(); err != nil {
		return c, err
	}
	_, _, err := c.parseURL()
	return c, err
}

func (c Config) checkAuth() error {
	set := 0
	for _, s := range []string{c.TokenFile, c.TokenEnv, c.KeyFile} {
		if s != "" {
			set++
		}
	}
	switch {
	case set > 1:
		return errors.New("slurmrestd: set only one of token_file, token_env and key_file")
	case c.KeyFile != "" && c.User == "":
		return errors.New("slurmrestd: key_file needs user, the Slurm user to sign tokens for")
	case set == 0 && !strings.HasPrefix(c.URL, "unix:"):
		return errors.New("slurmrestd: set token_file, token_env or key_file (only a unix socket can do without)")
	}
	return nil
}

// parseURL returns the base of all URLs, and the socket's path for a unix URL.
func (c Config) parseURL() (base, socket string, err error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return "", "", fmt.Errorf("slurmrestd: url %q: want http://host:port, https://host:port or unix:///path", c.URL)
	}
	plain := u.User == nil && u.RawQuery == "" && u.Fragment == ""
	switch {
	case u.Scheme == "unix" && u.Host == "" && strings.HasPrefix(u.Path, "/") && plain:
		return "http://localhost", u.Path, nil
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && plain:
		return strings.TrimSuffix(u.Scheme+"://"+u.Host+u.Path, "/"), "", nil
	}
	return "", "", fmt.Errorf("slurmrestd: url %q: want http://host:port, https://host:port or unix:///path", u.Redacted())
}
