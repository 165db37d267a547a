package restconn

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"fairbridge/bridge/slurm/safefile"
)

// signedLife is the life of the tokens we sign; they are replaced at half life.
const signedLife = 5 * time.Minute

// tokenSource yields a valid token for each request.
type tokenSource struct {
	cfg Config
	now func() time.Time

	mu   sync.Mutex
	last Token
	info os.FileInfo // of the token file when last was read
}

// get returns a token good at this moment; the zero Token when none is
// configured.
func (t *tokenSource) get() (Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.cfg.TokenFile != "":
		return t.fromFile()
	case t.cfg.TokenEnv != "":
		return t.fromEnv()
	case t.cfg.KeyFile != "":
		return t.sign()
	}
	return Token{User: t.cfg.User}, nil
}

// fromFile reads the file when it is not the one read last.
func (t *tokenSource) fromFile() (Token, error) {
	path := t.cfg.TokenFile
	info, err := os.Stat(path)
	if err != nil {
		return Token{}, fmt.Errorf("reading the token: %w", err)
	}
	same := t.info != nil && os.SameFile(info, t.info) && info.ModTime().Equal(t.info.ModTime()) && info.Size() == t.info.Size()
	text := t.last.text
	if !same || text == "" {
		if text, err = readSecret(path, info); err != nil {
			return Token{}, err
		}
	}
	tok, err := t.cfg.parseToken(text, path, t.now())
	if err != nil {
		t.last, t.info = Token{}, nil
		return Token{}, err
	}
	t.last, t.info = tok, info
	return tok, nil
}

func (t *tokenSource) fromEnv() (Token, error) {
	text := strings.TrimSpace(os.Getenv(t.cfg.TokenEnv))
	if text == "" {
		return Token{}, fmt.Errorf("the environment variable %s, which should hold the token, is empty", t.cfg.TokenEnv)
	}
	return t.cfg.parseToken(secret(text), "the environment variable "+t.cfg.TokenEnv, t.now())
}

// sign makes a token of the key, or returns the last one in its first half.
func (t *tokenSource) sign() (Token, error) {
	now := t.now()
	if t.last.text != "" && now.Before(t.last.Expires.Add(-signedLife/2)) && now.After(t.last.Expires.Add(-2*signedLife)) {
		return t.last, nil
	}
	if err := t.cfg.checkUser(t.cfg.User); err != nil {
		return Token{}, err
	}
	info, err := os.Stat(t.cfg.KeyFile)
	if err != nil {
		return Token{}, fmt.Errorf("reading the signing key: %w", err)
	}
	key, err := readKey(t.cfg.KeyFile, info)
	if err != nil {
		return Token{}, err
	}
	exp := now.Add(signedLife)
	cl := claims{User: t.cfg.User, RegisteredClaims: jwt.RegisteredClaims{
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(exp)}}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, cl).SignedString([]byte(key))
	if err != nil {
		return Token{}, fmt.Errorf("signing a token with %s: %w", t.cfg.KeyFile, err)
	}
	t.last = Token{User: t.cfg.User, Expires: exp, text: secret(text)}
	return t.last, nil
}

// readSecret reads a token file: the token alone, or as scontrol prints it.
func readSecret(path string, info os.FileInfo) (secret, error) {
	b, err := readKey(path, info)
	text := strings.TrimSpace(string(b))
	text = strings.TrimSpace(strings.TrimPrefix(text, "SLURM_JWT="))
	if err == nil && text == "" {
		err = fmt.Errorf("the token file %s is empty", path)
	}
	return secret(text), err
}

// readKey reads a small file that others must not be able to read.
func readKey(path string, info os.FileInfo) (secret, error) {
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
