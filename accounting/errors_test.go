package accounting_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"fairbridge/accounting"
)

// TestPeerRefusalSaysAsWhom: who asks as another system user is told to ask as the right one,
// and not to look at passwords.
func TestPeerRefusalSaysAsWhom(t *testing.T) {
	peer := accounting.WrapError("reading the queue", &pgconn.PgError{Code: "28000", Message: `Peer authentication failed for user "fairbridge"`})
	if !errors.Is(peer, accounting.ErrPeerRefused) || !errors.Is(peer, accounting.ErrUserRefused) || !strings.Contains(peer.Error(), "with sudo -u fairbridge in front") {
		t.Errorf("of a refusal by peer authentication: %v", peer)
	}
	password := accounting.WrapError("reading the queue", &pgconn.PgError{Code: "28P01", Message: `password authentication failed for user "fairbridge"`})
	if errors.Is(password, accounting.ErrPeerRefused) || !errors.Is(password, accounting.ErrUserRefused) {
		t.Errorf("of a wrong password: %v", password)
	}
}
