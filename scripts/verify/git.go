package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// staleAfter is the number of commits after which a part that was green is stale.
const staleAfter = 200

// exceptRecords are paths for git: all of the tree but what this program and make test write into it.
var exceptRecords = []string{"--", ".", ":!" + verifiedFile, ":!" + repeatsFile, ":!" + statusFile}

// git runs git in the tree, whoever owns it, and returns what it prints.
func (v verifier) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "safe.directory=*"}, args...)...)
	cmd.Dir = v.root
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("running git %s: %w; verify needs a clone of git", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// state returns the commit that is checked out, and whether the tree is as it was committed, apart from our records.
func (v verifier) state() (commit string, clean bool, err error) {
	commit, err = v.git("rev-parse", "HEAD")
	if err != nil {
		return "", false, err
	}
	changes, err := v.git(append([]string{"status", "--porcelain"}, exceptRecords...)...)
	return commit, changes == "", err
}

// sameTree reports whether the tree is the same at the commit as now, apart from our records. A commit that is not here
// is another tree.
func (v verifier) sameTree(commit string) bool {
	_, err := v.git(append([]string{"diff", "--quiet", commit, "HEAD"}, exceptRecords...)...)
	return err == nil
}

// age says when a part with this row was last green, and whether that is stale by now.
func (v verifier) age(row []string) (words string, stale bool) {
	if row == nil {
		return "never green", true
	}
	words = fmt.Sprintf("last green at %.8s, on %s, in %s s, ", row[1], row[2], row[3])
	out, err := v.git("rev-list", "--count", row[1]+"..HEAD")
	n, notNumber := strconv.Atoi(out)
	if err != nil || notNumber != nil {
		return words + "a commit that is not here", true
	}
	return fmt.Sprintf("%s%d commits ago", words, n), n > staleAfter
}
