package privacy

import (
	"strings"
	"unicode/utf8"
)

// hideJobs hides the addresses that follow the word job or jobs.
func (t *Texts) hideJobs(text string) string {
	var b strings.Builder
	for {
		at, word := nextJobWord(text)
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at])
		rest := text[at+len(word):]
		list, length := readAddresses(rest)
		b.WriteString(t.jobsText(word, rest[:length], list))
		text = rest[length:]
	}
}

// nextJobWord returns where the next "job " or "jobs " stands that an address may follow; -1: nowhere.
func nextJobWord(text string) (at int, word string) {
	for from := 0; ; {
		i := strings.Index(text[from:], "job")
		if i < 0 {
			return -1, ""
		}
		i += from
		from = i + len("job")
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if i > 0 && isNameRune(before) {
			continue
		}
		for _, word := range []string{"job ", "jobs "} {
			if tail, ok := strings.CutPrefix(text[i:], word); ok && tail != "" && isDigit(tail[0]) {
				return i, word
			}
		}
	}
}

// readAddresses reads addresses joined by commas and "and" from the front of a text.
func readAddresses(text string) (list []string, length int) {
	for {
		n := addressLength(text[length:])
		if n == 0 {
			return list, length
		}
		list = append(list, text[length:length+n])
		end := length + n
		next := end
		for _, joint := range []string{", and ", ", ", " and ", ","} {
			if strings.HasPrefix(text[end:], joint) && addressLength(text[end+len(joint):]) > 0 {
				next = end + len(joint)
				break
			}
		}
		if next == end {
			return list, end
		}
		length = next
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// addressLength returns how many bytes at the front of a text are an address of a job.
func addressLength(text string) int {
	n := digits(text)
	if n == 0 || n == len(text) {
		return n
	}
	switch tail := text[n+1:]; text[n] {
	case '+':
		if d := digits(tail); d > 0 {
			return n + 1 + d
		}
	case '_':
		if d := digits(tail); d > 0 {
			return n + 1 + d
		}
		if i := strings.IndexByte(tail, ']'); strings.HasPrefix(tail, "[") && i > 0 {
			return n + 1 + i + 1
		}
	}
	return n
}

func digits(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

// jobsText writes the list as it was where all may be seen, else without those that may not.
func (t *Texts) jobsText(word, was string, list []string) string {
	var seen []string
	for _, address := range list {
		if t.SeesJobNamed(address) {
			seen = append(seen, address)
		}
	}
	switch hidden := len(list) - len(seen); {
	case hidden == 0:
		return word + was
	case len(list) == 1:
		return "another job"
	case len(seen) == 0:
		return "other jobs"
	case hidden == 1:
		return word + strings.Join(seen, ", ") + " and another"
	default:
		return word + strings.Join(seen, ", ") + " and others"
	}
}
