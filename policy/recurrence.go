package policy

import "strings"

// Recurrence is what jobs have in common that are the same job, submitted again: the user, and the name
// without its counters. Slurm tells no hash of a job's script, neither by slurmrestd nor by sacct.
type Recurrence struct {
	User string `json:"user"`
	Name string `json:"name"` // see NameWithoutCounters
}

// RecurrenceOf returns that of a user's job of a name; ok is false for a job without a name, which is like no
// other.
func RecurrenceOf(user, name string) (r Recurrence, ok bool) {
	r = Recurrence{user, NameWithoutCounters(name)}
	return r, strings.Trim(r.Name, "#") != ""
}

// Recurrence returns that of the job; see RecurrenceOf.
func (j *Job) Recurrence() (r Recurrence, ok bool) { return RecurrenceOf(j.User, j.Name) }

// NameWithoutCounters is a name with # for each number in it: what "seed-1" and "seed-22" share.
func NameWithoutCounters(name string) string {
	var b strings.Builder
	inNumber := false
	for _, c := range name {
		isDigit := c >= '0' && c <= '9'
		if isDigit && !inNumber {
			b.WriteByte('#')
		}
		if !isDigit {
			b.WriteRune(c)
		}
		inNumber = isDigit
	}
	return b.String()
}
