package credential

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
