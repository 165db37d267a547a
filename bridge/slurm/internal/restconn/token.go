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
