package slurm

import "regexp"

// MaxAdminCommentLength bounds a text of ours in a job's admin_comment, in bytes. Slurm keeps
// tens of thousands.
const MaxAdminCommentLength = 120

// adminCommentPattern is the form of such a text: who says it, as of when, and plain words.
// Neither a shell, nor scontrol, nor a list finds anything in it that it would take for its own.
var adminCommentPattern = regexp.MustCompile(`^fairbridge [0-9]{1,2} [A-Z][a-z]{2} [0-9]{2}:[0-9]{2} UTC: [A-Za-z0-9][A-Za-z0-9 ,;._-]*$`)

// IsAdminComment reports whether the text has the form of those that we write into a job's
// admin_comment. Whether one that stands there is ours, the ledger knows.
func IsAdminComment(text string) bool {
	return len(text) <= MaxAdminCommentLength && adminCommentPattern.MatchString(text)
}
