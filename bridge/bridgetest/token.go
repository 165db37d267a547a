package bridgetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// NewTokenFile writes a token of Slurm's form, of a user and without an end, to a file that
// only we may read, and returns its path. Only what does not check the signature takes it.
func NewTokenFile(t testing.TB, user string) string {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sun": user}).SignedString([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
