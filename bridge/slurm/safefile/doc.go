// Package safefile says whether a file may be believed: whether nobody but its
// owner, who must be root or ourselves, could have written it or put it in its
// place. It is the rule of sshd's StrictModes.
package safefile
