package settings

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"fairbridge/bridge/slurm/safefile"
)

// DSN returns the connection string of the database, from its file or the
// environment. A file that others could write is refused, and so is one with a
// password that everybody may read.
func (f *File) DSN() (string, error) {
	if path := f.Database.DSNFile; path != "" {
		dsn, err := readDSNFile(path)
		if err != nil {
			return "", fmt.Errorf("reading database.dsn_file: %w", err)
		}
		return dsn, nil
	}
	if dsn := os.Getenv(f.Database.DSNEnv); dsn != "" {
		return dsn, nil
	}
	return "", fmt.Errorf("no database: set database.dsn_file, or put the connection string into the environment as %s", f.Database.DSNEnv)
}

// passwordPattern finds one in either form of a connection string.
var passwordPattern = regexp.MustCompile(`(?i)\bpassword\s*=|^\w+://[^/@]*:[^/@]+@`)

func readDSNFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if err := safefile.CheckIgnoringOwner(path); err != nil {
		return "", err
	}
	dsn := strings.TrimSpace(string(text))
	if passwordPattern.MatchString(dsn) {
		if err := safefile.CheckPrivate(path); err != nil {
			return "", fmt.Errorf("it holds a password, and %w", err)
		}
	}
	return dsn, nil
}
