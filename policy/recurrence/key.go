// Package recurrence recognises jobs that come again.
package recurrence

import (
	"strings"
)

// Key is what jobs have in common that are the same job, submitted again: the user, and the name
// without its counters. It is the one key by which runs of the past and jobs of now are recognised; where runs of the
// very same name are known, those are asked first, since a number may be part of what a job is (resnet50).
//
// The script is no part of it. slurmrestd shows the path of a script that was submitted as a file (command, from 22.05 to
// 26.05), but no accounting record does: those have the line that was typed (from 24.11 by REST), and a hash of the script in no release. By
// the path jobs of now would not find their own past.
type Key struct {
	User string `json:"user"`
	Name string `json:"name"` // see NameWithoutCounters
}

// Of returns the key of a user's job of a name; ok is false for a job whose name is nothing but counters, which is like no
// other.
func Of(user, name string) (k Key, ok bool) {
	k = Key{user, NameWithoutCounters(name)}
	return k, strings.Trim(k.Name, "#-_.:+ ") != ""
}

// Keys returns the keys under which runs of a user's name are kept and sought, the closest first: that of the very
// name, then that without counters where the name has some. A name that is empty has none.
func Keys(user, name string) []Key {
	if name == "" {
		return nil
	}
	keys := []Key{{user, name}}
	if k, ok := Of(user, name); ok && k.Name != name {
		keys = append(keys, k)
	}
	return keys
}

// Find returns what is kept under the closest key of a user's name that has anything, and how many closer ones have nothing: 0 for the
// very name. Where none has anything, found is nil.
func Find[V any](byKey map[Key][]V, user, name string) (found []V, key Key, closer int) {
	for closer, key = range Keys(user, name) {
		if found = byKey[key]; len(found) > 0 {
			return found, key, closer
		}
	}
	return nil, key, closer
}

// NameWithoutCounters is a name with # for each number in it, dates and seeds included, and for each hash: what "seed-1" and
// "seed-22" share, and "run-3fa9c1b" and "run-77be02d".
func NameWithoutCounters(name string) string {
	var b strings.Builder
	for at := 0; at < len(name); {
		if isUUID(name[at:]) {
			b.WriteByte('#')
			at += uuidLength
			continue
		}
		end := at
		for end < len(name) && isWordByte(name[end]) == isWordByte(name[at]) {
			end++
		}
		if word := name[at:end]; isHash(word) {
			b.WriteByte('#')
		} else {
			writeWithoutNumbers(&b, word)
		}
		at = end
	}
	return b.String()
}

// writeWithoutNumbers writes # in place of each row of digits.
func writeWithoutNumbers(b *strings.Builder, text string) {
	inNumber := false
	for i := range len(text) {
		if isNumber := isDigit(text[i]); !isNumber {
			b.WriteByte(text[i])
		} else if !inNumber {
			b.WriteByte('#')
		}
		inNumber = isDigit(text[i])
	}
}

// leastHashLength is how long a word of hexadecimal digits is that is taken for a hash: what git writes is seven long.
const leastHashLength = 7

// isHash reports whether a word is a hash: hexadecimal digits, letters and numbers mixed as in no word.
func isHash(word string) bool {
	turns := 0
	for i := range len(word) {
		if !isHexDigit(word[i]) {
			return false
		}
		if i > 0 && isDigit(word[i]) != isDigit(word[i-1]) {
			turns++
		}
	}
	return len(word) >= leastHashLength && turns >= 2
}

// uuidLength is how long a UUID is as text, RFC 9562.
const uuidLength = 36

// isUUID reports whether a text begins with a UUID.
func isUUID(text string) bool {
	if len(text) < uuidLength {
		return false
	}
	for i := range uuidLength {
		if isDash := i == 8 || i == 13 || i == 18 || i == 23; isDash != (text[i] == '-') || !isDash && !isHexDigit(text[i]) {
			return false
		}
	}
	return true
}

func isHexDigit(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWordByte reports whether a byte is of a word: a letter, of any script, or a digit.
func isWordByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
