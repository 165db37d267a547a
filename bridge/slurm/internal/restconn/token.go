package restconn

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"fairbridge/bridge/slurm/safefile"
)

// signedTokenLife is the life of the tokens we sign; they are replaced at half life.
const signedTokenLife = 5 * time.Minute

// tokenSource yields a valid token for each request.
type tokenSource struct {
	cfg Config
	now func() time.Time

	mu            sync.Mutex
	lastToken     Token
	tokenFileInfo os.FileInfo // of the token file when lastToken was read
}

// currentToken returns a token good at this moment; the zero Token when none is
// configured.
func (t *tokenSource) currentToken() (Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.cfg.TokenFile != "":
		return t.tokenFromFile()
	case t.cfg.TokenEnv != "":
		return t.tokenFromEnv()
	case t.cfg.KeyFile != "":
		return t.signToken()
	}
	return Token{User: t.cfg.User}, nil
}

// tokenFromFile reads the file when it is not the one read last.
func (t *tokenSource) tokenFromFile() (Token, error) {
	path := t.cfg.TokenFile
	info, err := os.Stat(path)
	if err != nil {
		return Token{}, fmt.Errorf("reading the token: %w", err)
	}
	same := t.tokenFileInfo != nil && os.SameFile(info, t.tokenFileInfo) && info.ModTime().Equal(t.tokenFileInfo.ModTime()) && info.Size() == t.tokenFileInfo.Size()
	text := t.lastToken.secretText
	if !same || text == "" {
		if text, err = readTokenFile(path, info); err != nil {
			return Token{}, err
		}
	}
	tok, err := t.cfg.parseToken(text, path, t.now())
	if err != nil {
		t.lastToken, t.tokenFileInfo = Token{}, nil
		return Token{}, err
	}
	t.lastToken, t.tokenFileInfo = tok, info
	return tok, nil
}

func (t *tokenSource) tokenFromEnv() (Token, error) {
	text := trimToken(os.Getenv(t.cfg.TokenEnv))
	if text == "" {
		return Token{}, fmt.Errorf("the environment variable %s, which should hold the token, is empty", t.cfg.TokenEnv)
	}
	return t.cfg.parseToken(text, "the environment variable "+t.cfg.TokenEnv, t.now())
}

// signToken makes a token of the key, or returns the last one in its first half.
func (t *tokenSource) signToken() (Token, error) {
	now := t.now()
	if t.lastToken.secretText != "" && now.Before(t.lastToken.Expires.Add(-signedTokenLife/2)) && now.After(t.lastToken.Expires.Add(-2*signedTokenLife)) {
		return t.lastToken, nil
	}
	if err := t.cfg.refusePowerfulUser(t.cfg.User); err != nil {
		return Token{}, err
	}
	info, err := os.Stat(t.cfg.KeyFile)
	if err != nil {
		return Token{}, fmt.Errorf("reading the signing key: %w", err)
	}
	key, err := readPrivateFile(t.cfg.KeyFile, info)
	if err != nil {
		return Token{}, err
	}
	exp := now.Add(signedTokenLife)
	cl := tokenClaims{User: t.cfg.User, RegisteredClaims: jwt.RegisteredClaims{
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(exp)}}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, cl).SignedString([]byte(key))
	if err != nil {
		return Token{}, fmt.Errorf("signing a token with %s: %w", t.cfg.KeyFile, err)
	}
	t.lastToken = Token{User: t.cfg.User, Expires: exp, secretText: secret(text)}
	return t.lastToken, nil
}

// trimToken returns a token that stands alone, or as scontrol prints it: SLURM_JWT=….
func trimToken(text string) secret {
	return secret(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "SLURM_JWT=")))
}

// readTokenFile reads a token file.
func readTokenFile(path string, info os.FileInfo) (secret, error) {
	b, err := readPrivateFile(path, info)
	text := trimToken(string(b))
	if err == nil && text == "" {
		err = fmt.Errorf("the token file %s is empty", path)
	}
	return text, err
}

// readPrivateFile reads a small file that others must not be able to read.
func readPrivateFile(path string, info os.FileInfo) (secret, error) {
	if err := safefile.CheckPrivate(path); err != nil {
		return "", err
	}
	if err := safefile.CheckIgnoringOwner(path); err != nil {
		return "", err
	}
	if info.Size() > 64<<10 || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file of at most 64 kB", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading a secret: %w", err)
	}
	return secret(b), nil
}

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

// secret is a token or key. However it is printed, it does not show.
type secret string

const redactedText = "(secret)"

func (secret) String() string { return redactedText }

func (secret) GoString() string { return redactedText }

func (secret) LogValue() slog.Value { return slog.StringValue(redactedText) }

func (secret) MarshalText() ([]byte, error) { return []byte(redactedText), nil }
