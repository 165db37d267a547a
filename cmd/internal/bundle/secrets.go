package bundle

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"strings"

	"fairbridge/cmd/settings"
)

// leastSecret is the shortest value that is looked for: shorter ones are found everywhere by chance.
const leastSecret = 6

var passwordField = regexp.MustCompile(`(?i)\bpassword\s*=\s*(?:'([^']*)'|(\S+))`)

// knownSecrets returns what stands in the files and variables that the configuration names. No part is made of them:
// they are looked for in what is packed, lest an error should cite one.
func knownSecrets(f *settings.File) (all [][]byte) {
	add := func(text string) {
		if text = strings.TrimSpace(text); len(text) >= leastSecret {
			all = append(all, []byte(text))
		}
	}
	for _, path := range secretFiles(f) {
		if text, err := os.ReadFile(path); path != "" && err == nil {
			add(string(text))
			add(strings.TrimPrefix(strings.TrimSpace(string(text)), "SLURM_JWT="))
		}
	}
	add(f.Reminders.WebhookURL) // whoever has it may post there
	for _, name := range []string{"SLURM_JWT", f.Slurm.TokenEnv, f.Database.DSNEnv, "PGPASSWORD"} {
		if name != "" {
			add(os.Getenv(name))
		}
	}
	if dsn, err := f.DSN(); err == nil {
		add(dsn)
		if u, err := url.Parse(dsn); err == nil && u.User != nil {
			password, _ := u.User.Password()
			add(password)
		}
		if m := passwordField.FindStringSubmatch(dsn); m != nil {
			add(m[1] + m[2])
		}
	}
	return all
}

// secretFiles are the files of the configuration that hold secrets.
func secretFiles(f *settings.File) []string {
	return []string{
		f.Slurm.TokenFile, f.Slurm.KeyFile, f.Database.DSNFile, f.Probes.TokenFile, f.Probes.KeyFile, f.API.KeyFile, f.API.ProxySecretFile,
		f.Reminders.MailPasswordFile, f.Reminders.WebhookSecretFile,
	}
}

// holdsSecret reports whether a file that is to be packed has a secret in it, as it is or as JSON writes it.
func (c *Collection) holdsSecret(text []byte) bool {
	for _, s := range c.secrets {
		if bytes.Contains(text, s) || bytes.Contains(text, inJSON(s)) {
			return true
		}
	}
	return false
}

// inJSON is a text as JSON writes it, without the quotes around it.
func inJSON(text []byte) []byte {
	quoted, err := json.Marshal(string(text))
	if err != nil {
		return text // never: texts have a form in JSON
	}
	return quoted[1 : len(quoted)-1]
}
