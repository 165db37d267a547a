// Package pseudonym replaces names by keyed pseudonyms. It is pure: the same key and the same
// values give the same text. What it does not know it replaces: of texts only the words of
// fairbridge's own sentences stay.
package pseudonym

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// letters are those of pseudonyms: without vowels, so that hardly any name is spelt by chance.
const letters = "bcdfghjklmnpqrstvwxz"

// tagLength is how many letters a pseudonym has after its kind: 43 bits.
const tagLength = 10

// Mapper replaces names. It is not safe for concurrent use.
type Mapper struct {
	key   []byte
	kinds map[string]string // of known names in small letters: user, account, …
	jobs  map[string]bool   // known numbers of jobs and people
	real  map[string]string // by pseudonym

	written map[string]string // known names, by themselves in small letters
	phrases *strings.Replacer // of names of several words; nil: to be made
}

// New makes a Mapper. Who has the key can try names against pseudonyms.
func New(key []byte) *Mapper {
	return &Mapper{key: key, kinds: map[string]string{}, jobs: map[string]bool{}, real: map[string]string{}, written: map[string]string{}}
}

// everywhere are names that every site has, and every sentence: in texts they stay.
var everywhere = strings.Fields("gpu gpus slurm fairbridge root")

// leastDigits is how long a name of digits alone is at least that is taken for known, of a kind that has such names:
// shorter ones are everywhere by chance.
const leastDigits = 3

var numericKinds = strings.Fields("account user node")

// isUnknowable reports whether a name, in small letters, could be no name in a text.
func isUnknowable(kind, name string) bool {
	if isNumber(name) {
		return len(name) < leastDigits || !slices.Contains(numericKinds, kind)
	}
	return name == "" || slices.Contains(everywhere, name)
}

// Know takes a value for a name of a kind, which is then replaced in texts too. Of several kinds
// the first by the alphabet counts there.
func (m *Mapper) Know(kind, name string) {
	written := strings.TrimSpace(name)
	name = strings.ToLower(written)
	if isUnknowable(kind, name) {
		return
	}
	if old := m.kinds[name]; old == "" || kind < old {
		m.kinds[name], m.written[name], m.phrases = kind, written, nil
	}
}

// Name returns the pseudonym of a whole value, "" of "". Capital and small letters are not told apart.
func (m *Mapper) Name(kind, name string) string {
	if name == "" {
		return ""
	}
	sum, tag := m.sum(strings.ToLower(strings.TrimSpace(name))), make([]byte, tagLength)
	for i := range tag {
		tag[i] = letters[sum%uint64(len(letters))]
		sum /= uint64(len(letters))
	}
	p := kind + "-" + string(tag)
	m.real[p] = name
	return p
}

// Number returns the nine digits that stand for the number of a job or a person; 0 stays: it is none.
func (m *Mapper) Number(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	text := formatNumber(n)
	m.jobs[text] = true
	p := 100_000_000 + m.sum("number "+text)%900_000_000
	m.real[formatNumber(p)] = text
	return p
}

// sum is the first 64 bits of the keyed hash of a value.
func (m *Mapper) sum(value string) uint64 {
	h := hmac.New(sha256.New, m.key)
	h.Write([]byte(value))
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// Mapping returns the real value of each pseudonym that was given.
func (m *Mapper) Mapping() map[string]string { return maps.Clone(m.real) }
