// Package waitnote makes the short text in a job's own admin_comment that says why it waits, and
// reads it back. What scontrol shows of a job may be read by everybody: the text has places,
// counts, the job's own partition and words from a closed list, and never anything that a person
// or another job is called. Everything in it is pure.
package waitnote

import (
	"fmt"
	"math/bits"
	"regexp"
	"strconv"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Category is what a decision means to the owner of a job that waits.
type Category string

// The categories are the very words of the text.
const (
	StartsNow     Category = "it is to start now"
	HeldBack      Category = "it is held back for now"
	NextForGPUs   Category = "it is next for free GPUs"
	OthersAreNext Category = "others are ahead of it"
)

var categories = []Category{StartsNow, HeldBack, NextForGPUs, OthersAreNext}

// Note is what a job is told.
type Note struct {
	AsOf      time.Time // to the minute, UTC, without the year
	Place     int       // in the line of those that can start, from 1
	Count     int       // jobs in that line
	Partition string    // "" where its name has other than plain letters, or is long
	Category  Category
}

// New returns what the decision tells the job that has this place in the line. Of the decision it
// reads the verb alone: its reason may name anybody.
func New(dec *policy.Decision, place, count int, partition string, asOf time.Time) Note {
	n := Note{AsOf: asOf.UTC().Truncate(time.Minute), Place: place, Count: count, Category: OthersAreNext}
	if partitionPattern.MatchString(partition) {
		n.Partition = partition
	}
	switch {
	case dec.Verb == policy.Start:
		n.Category = StartsNow
	case dec.Verb == policy.Hold:
		n.Category = HeldBack
	case place == 1:
		n.Category = NextForGPUs
	}
	return n
}

// String writes the text: "fairbridge 23 Nov 14:05 UTC: waits as 3rd of 12 in gpu; others are
// ahead of it".
func (n Note) String() string {
	where := ""
	if n.Partition != "" {
		where = " in " + n.Partition
	}
	return fmt.Sprintf("fairbridge %s UTC: waits as %s of %d%s; %s", n.AsOf.UTC().Format(timeLayout), ordinal(n.Place), n.Count, where, n.Category)
}

const timeLayout = "2 Jan 15:04"

var (
	partitionPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,23}$`)
	notePattern      = regexp.MustCompile(`^fairbridge ([0-9]{1,2} [A-Z][a-z]{2} [0-9]{2}:[0-9]{2}) UTC: waits as ([0-9]{1,8})(?:st|nd|rd|th) of ([0-9]{1,8})(?: in ([A-Za-z0-9._-]+))?; ([A-Za-z ]+)$`)
)

// Parse reads a text back; ok is false for one that String does not write.
func Parse(text string) (n Note, ok bool) {
	m := notePattern.FindStringSubmatch(text)
	if m == nil {
		return n, false
	}
	at, err := time.Parse(timeLayout, m[1])
	if err != nil {
		return n, false
	}
	n = Note{AsOf: at, Partition: m[4], Category: Category(m[5])}
	n.Place, _ = strconv.Atoi(m[2])
	n.Count, _ = strconv.Atoi(m[3])
	return n, n.isSound() && n.String() == text && slurm.IsAdminComment(text)
}

// isSound reports whether a decision can have led to the note.
func (n Note) isSound() bool {
	if n.Place < 1 || n.Count < n.Place || n.Partition != "" && !partitionPattern.MatchString(n.Partition) {
		return false
	}
	for _, c := range categories {
		if n.Category == c {
			return true
		}
	}
	return false
}

// SaysTheSame reports whether the notes differ in nothing that is worth another write: the first
// three places are told apart, beyond them those that are twice as far.
func (n Note) SaysTheSame(o Note) bool {
	return n.Category == o.Category && n.Partition == o.Partition && placeBand(n.Place) == placeBand(o.Place)
}

func placeBand(place int) int {
	if place <= 3 {
		return place
	}
	return 3 + bits.Len(uint(place))
}

// ordinal writes 1st, 2nd, 3rd, 4th, 11th, 21st.
func ordinal(n int) string {
	suffix := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
