package cli

import (
	"cmp"
	"os"
	"os/user"
)

// PersonName is who runs this, as far as can be told.
func PersonName() string {
	if name := os.Getenv("SUDO_USER"); name != "" {
		return name
	}
	u, err := user.Current()
	if err != nil {
		return cmp.Or(os.Getenv("USER"), "somebody")
	}
	return u.Username
}
