// Package executable writes programs that are run right after.
package executable

import (
	"os"
	"syscall"
)

// Write writes a program that everybody may run and its owner may write. What is there already is replaced,
// even where it runs.
//
// While the file is open for writing, this process starts no other: a child that is not yet the program it is to
// be holds all files of its parent, and Linux refuses to run what anybody has open for writing ("text file busy",
// https://go.dev/issue/22315).
func Write(path string, text []byte) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755)
}
