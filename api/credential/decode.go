package credential

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fairbridge/api"
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

// Life is how long a credential is good. It is what clocks of two hosts may differ, too.
const Life = time.Minute

// MaxLength is the most bytes that a credential has; ours have about 300.
const MaxLength = 2048

// shape is how munge writes a credential.
var shape = regexp.MustCompile(`^MUNGE:[A-Za-z0-9+/=]+:$`)

// minLength is less than any credential's: of at least 58 bytes, five of its head, 16 of the shortest hash and
// 37 of who made it where and when, in base64.
const minLength = 80

// CanBe reports whether values of a request's header Authorization can be one credential of munge, which it takes a
// process to tell.
func CanBe(authorization []string) bool {
	if len(authorization) != 1 {
		return false
	}
	scheme, cred, _ := strings.Cut(authorization[0], " ")
	return strings.EqualFold(scheme, "Munge") && len(cred) <= MaxLength && isFormed(cred)
}

func isFormed(cred string) bool { return len(cred) >= minLength && shape.MatchString(cred) }

// errNoCommand says that a site wants no munge.
var errNoCommand = errors.New("no command is configured")

// Encode makes a credential with the payload of the user who runs us. The command is munge
// with whatever must stand before or after it, such as [munge, --restrict-uid=fairbridge].
func Encode(ctx context.Context, command []string, payload string) (string, error) {
	if len(command) == 0 {
		return "", newUnreachable("munge", errNoCommand)
	}
	result, err := run(ctx, command, payload, "--ttl="+strconv.Itoa(int(Life.Seconds())))
	if err != nil {
		return "", newUnreachable(command[0], err)
	}
	if result.exit != 0 {
		return "", newUnreachable(command[0], result.said(command[0]))
	}
	text := strings.TrimSpace(result.stdout)
	if len(text) > MaxLength || !shape.MatchString(text) {
		return "", newError(KindInvalid, fmt.Sprintf("what %s printed is no credential", command[0]), "run it by hand", nil)
	}
	return text, nil
}

func newUnreachable(command string, cause error) *Error {
	return newError(KindUnreachable, "munge could not be asked who sends the request",
		fmt.Sprintf("see whether munged runs and %s works on this host", command), cause)
}

// EncoderBeside returns the command munge that stands beside a command unmunge, with the same
// arguments; false where the command names no unmunge.
func EncoderBeside(unmunge []string) (command []string, ok bool) {
	for i, word := range unmunge {
		if path.Base(word) == "unmunge" {
			command = slices.Clone(unmunge)
			command[i] = path.Join(path.Dir(word), "munge")
			return command, true
		}
	}
	return nil, false
}

// metadata is what unmunge prints of a credential.
type metadata struct {
	status           int
	encoded, decoded time.Time
	ttl              int
	uid              uint32
	payload          string
}

// times says when it was made and when it was decoded, each by its own host's clock.
func (m *metadata) times() string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf(": made at %s, decoded at %s", m.encoded.Format(time.RFC3339), m.decoded.Format(time.RFC3339))
}

// parseMetadata reads all that unmunge prints: a line for each key, an empty one, the payload.
func parseMetadata(text string) (*metadata, error) {
	head, payload, found := strings.Cut(text, "\n\n")
	if !found {
		return nil, errors.New("reading what unmunge printed: it has no end of the metadata")
	}
	values := map[string]string{}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if _, twice := values[key]; !ok || twice {
			return nil, fmt.Errorf("reading what unmunge printed: the line %q", line)
		}
		values[key] = lastParenthesis(strings.TrimSpace(value))
	}
	m := &metadata{payload: payload}
	var numbers [6]uint64
	for i, key := range [...]string{"STATUS", "ENCODE_TIME", "DECODE_TIME", "TTL", "UID", "LENGTH"} {
		n, err := strconv.ParseUint(values[key], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("reading what unmunge printed: %s is %q", key, values[key])
		}
		numbers[i] = n
	}
	m.status, m.ttl, m.uid = int(numbers[0]), int(numbers[3]), uint32(numbers[4])
	m.encoded, m.decoded = time.Unix(int64(numbers[1]), 0).UTC(), time.Unix(int64(numbers[2]), 0).UTC()
	if numbers[5] != uint64(len(payload)) {
		return nil, fmt.Errorf("reading what unmunge printed: the payload has %d bytes, not %d", len(payload), numbers[5])
	}
	return m, nil
}

// lastParenthesis returns the number of "alice (1001)" or "Success (0)", and all of a value
// that has none.
func lastParenthesis(value string) string {
	if open := strings.LastIndexByte(value, '('); open >= 0 && strings.HasSuffix(value, ")") {
		return value[open+1 : len(value)-1]
	}
	return value
}

// Kind says what is wrong with a credential.
type Kind string

// The kinds.
const (
	KindUnreachable Kind = "unreachable" // munge could not be asked: it says nothing of the credential
	KindInvalid     Kind = "invalid"     // none, or made with another key
	KindTooLarge    Kind = "too_large"   // no credential of ours is so large
	KindExpired     Kind = "expired"     // made too long ago
	KindRewound     Kind = "rewound"     // made in the future, by the clock of who decodes it
	KindReplayed    Kind = "replayed"    // used before
	KindRestricted  Kind = "restricted"  // only another user may decode it
	KindNoUser      Kind = "no_user"     // it is of an id that stands for no user
)

// Error is a credential that could not be made, or not be believed.
type Error struct {
	Kind  Kind
	told  api.Error // what is told to who asks
	cause error     // for the log: it may name files; nil: none
}

// Error says what is wrong, what to try, and what munge said.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.told.Error()
	}
	return e.told.Error() + " (" + e.cause.Error() + ")"
}

// Unwrap returns what is told to who asks, an *api.Error, and the cause.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{&e.told}
	}
	return []error{&e.told, e.cause}
}

func newError(kind Kind, message, try string, cause error) *Error {
	code := api.CodeUnauthenticated
	switch kind {
	case KindUnreachable:
		code = api.CodeUnavailable
	case KindTooLarge:
		code = api.CodeTooLarge
	}
	return &Error{Kind: kind, told: api.Error{Code: code, Message: message, Try: try}, cause: cause}
}
