package restconn

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// tokenClaims are what Slurm reads from a token: sun is the user's name.
type tokenClaims struct {
	jwt.RegisteredClaims
	User string `json:"sun,omitempty"`
}

// Token is what a token says of itself.
type Token struct {
	User       string
	Expires    time.Time // zero: never
	secretText secret
}

// Format prints a token without its text, whatever the verb.
func (t Token) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "token of %s", t.User) }

// parseToken reads a token without checking its signature, which only
// slurmctld can, and refuses those that cannot or must not be used. where
// names its source in errors, which never show the token.
func (c Config) parseToken(text secret, where string, now time.Time) (Token, error) {
	var cl tokenClaims
	if _, _, err := jwt.NewParser().ParseUnverified(string(text), &cl); err != nil {
		return Token{}, fmt.Errorf("the token in %s is not a JWT: make one with scontrol token username=%s lifespan=SECONDS", where, c.userOrDefault("USER"))
	}
	t := Token{User: cl.User, secretText: text}
	if cl.ExpiresAt != nil {
		t.Expires = cl.ExpiresAt.Time
	}
	switch {
	case t.User == "" && c.User == "":
		return t, fmt.Errorf("the token in %s names no user (claim sun): set user to the Slurm user it is for", where)
	case t.User == "":
		t.User = c.User
	case c.User != "" && t.User != c.User:
		return t, fmt.Errorf("the token in %s is for user %.64q, not for %q as configured", where, t.User, c.User)
	}
	if err := c.refusePowerfulUser(t.User); err != nil {
		return t, fmt.Errorf("the token in %s: %w", where, err)
	}
	if !t.Expires.IsZero() && !now.Before(t.Expires) {
		return t, fmt.Errorf("the token in %s expired at %s: renew it with scontrol token username=%s lifespan=SECONDS",
			where, t.Expires.UTC().Format(time.RFC3339), t.User)
	}
	if life := c.TokenLife; life > 0 && (t.Expires.IsZero() || t.Expires.Sub(now) > life) {
		return t, fmt.Errorf("the token in %s is good %s, and more than %s are not accepted (slurm.token_life): make one with scontrol token username=%s lifespan=3600, and renew it by cron",
			where, t.formatLife(now), formatDays(life), t.User)
	}
	return t, nil
}

// maxUnwarnedTokenLife is how much life a token may have left without a word.
const maxUnwarnedTokenLife = 30 * 24 * time.Hour

// WeaknessWarning says what is unwise about the token; "" when nothing is. Slurm
// cannot call a token back before it ends.
func (t Token) WeaknessWarning(now time.Time) string {
	if t.secretText == "" || !t.Expires.IsZero() && t.Expires.Sub(now) <= maxUnwarnedTokenLife {
		return ""
	}
	return fmt.Sprintf("the token of %s is good %s: whoever copies it can change every job until then, for Slurm cannot call it back", t.User, t.formatLife(now))
}

// formatLife says for how long the token is good: "for 400 days".
func (t Token) formatLife(now time.Time) string {
	if t.Expires.IsZero() {
		return "for ever"
	}
	return "for " + formatDays(t.Expires.Sub(now))
}

func formatDays(d time.Duration) string { return fmt.Sprintf("%.0f days", d.Hours()/24) }

func (c Config) userOrDefault(other string) string {
	if c.User != "" {
		return c.User
	}
	return other
}

// refusePowerfulUser turns down users who can act as anybody.
func (c Config) refusePowerfulUser(user string) error {
	if user == "root" || user == c.SlurmUser {
		return fmt.Errorf("user %s can act as anybody in Slurm: use a user of its own with sacctmgr modify user NAME set adminlevel=Operator", user)
	}
	for _, r := range user {
		if r < ' ' || r == 0x7f {
			return errors.New("the user's name has control characters")
		}
	}
	return nil
}
