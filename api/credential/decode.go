package credential

import (
	"context"
	"fmt"
	"os/user"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Decoded is what a credential says that is good, and was not used before on this host.
type Decoded struct {
	UID       uint32 // of who made it
	Payload   string
	EncodedAt time.Time // by the clock of the host where it was made
}

// Decode tells whose a credential is, by the command unmunge. Whether its payload is that of
// the request at hand is for the caller to compare. Its errors are *Error.
func Decode(ctx context.Context, command []string, cred string) (*Decoded, error) {
	if len(cred) > MaxLength {
		return nil, newError(KindTooLarge, fmt.Sprintf("the munge credential has %d bytes, at most %d", len(cred), MaxLength), "", nil)
	}
	if !isFormed(cred) {
		return nil, newInvalid(nil)
	}
	if len(command) == 0 {
		return nil, newUnreachable("unmunge", errNoCommand)
	}
	// Names of keys, since its releases before 0.5.14 have no --numeric.
	result, err := run(ctx, command, cred, "--keys=STATUS,ENCODE_TIME,DECODE_TIME,TTL,UID,LENGTH")
	if err != nil {
		return nil, newUnreachable(command[0], err)
	}
	if !strings.HasPrefix(result.stdout, "STATUS:") {
		return nil, result.newStatusError(command[0], result.exit, nil)
	}
	m, err := parseMetadata(result.stdout)
	if err != nil {
		return nil, newInvalid(err)
	}
	if result.exit != m.status { // one of them is of something else than munge
		return nil, newInvalid(fmt.Errorf("%s ended with %d and printed status %d", command[0], result.exit, m.status))
	}
	if m.status != 0 {
		return nil, result.newStatusError(command[0], m.status, m)
	}
	return m.check()
}

// check bounds the age whatever life the credential was given, and refuses ids of no user.
func (m *metadata) check() (*Decoded, error) {
	switch age := m.decoded.Sub(m.encoded); {
	case age > Life:
		return nil, newError(KindExpired, "the munge credential is too old"+m.times(), tryClocks, nil)
	case age < -Life:
		return nil, newError(KindRewound, "the munge credential is from the future"+m.times(), tryClocks, nil)
	case !IsUser(m.uid):
		return nil, newError(KindNoUser, fmt.Sprintf("the user id %d stands for no user", m.uid), "ask as a user of the cluster", nil)
	}
	return &Decoded{UID: m.uid, Payload: m.payload, EncodedAt: m.encoded}, nil
}

// IsUser reports whether a user id is one of a user: neither one that the kernel shows in
// place of another that it cannot show, nor that of nobody.
func IsUser(uid uint32) bool {
	const overflow, none = 65534, 1<<32 - 1
	return uid != overflow && uid != none && strconv.FormatUint(uint64(uid), 10) != nobodyID()
}

var nobodyID = sync.OnceValue(func() string {
	if u, err := user.Lookup("nobody"); err == nil {
		return u.Uid
	}
	return ""
})

const tryClocks = "try again; if it comes again, set the clocks of both hosts"

func newInvalid(cause error) *Error {
	return newError(KindInvalid, "the munge credential is not valid here",
		"see whether both hosts have the same munge key", cause)
}

// The statuses of munge, see munge_enum(3).
const (
	statusSocket, statusTimeout                           = 6, 7
	statusExpired, statusRewound, statusReplayed          = 15, 16, 17
	statusUnauthorized                                    = 18
	statusSnafu, statusBadArgument, statusNoMemory, usage = 1, 2, 5, 126
)

// newStatusError says what a status of munge other than success means.
func (r commandResult) newStatusError(command string, status int, m *metadata) *Error {
	cause := r.said(command)
	switch {
	case status == statusExpired:
		return newError(KindExpired, "the munge credential is too old"+m.times(), tryClocks, cause)
	case status == statusRewound:
		return newError(KindRewound, "the munge credential is from the future"+m.times(), tryClocks, cause)
	case status == statusReplayed:
		return newError(KindReplayed, "the munge credential was used before", "make a new one for each request", cause)
	case status == statusUnauthorized:
		return newError(KindRestricted, "the munge credential may be decoded by another user only",
			"restrict it to the user that fairbridge runs as, or not at all", cause)
	case status == statusSocket, status == statusTimeout, status == statusSnafu, status == statusBadArgument,
		status == statusNoMemory, status >= usage:
		return newUnreachable(command, cause)
	}
	return newInvalid(cause)
}
