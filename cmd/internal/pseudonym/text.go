package pseudonym

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:generate go run ./makewords ../../.. words.txt

// wordList are the words of fairbridge's own texts and queries, one a line. A word that is missing is
// replaced: an old list costs clarity and hides more.
//
//go:embed words.txt
var wordList string

// slurmWords are those of Slurm's settings.
//
//go:embed slurmwords.txt
var slurmWords string

var words = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(wordList + slurmWords + " msg") {
		all[w] = true
	}
	return all
}()

var (
	quoted  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	token   = regexp.MustCompile(`[\pL\pN\pM_.@/~+\\-]+`)
	parts   = regexp.MustCompile(`[\pL\pM]+|\pN+`)
	moment  = regexp.MustCompile(`^\d{4}-\d\d-\d\d(T\d\d)?$|^\d\dZ$|^\d\d\.\d+Z$`)
	amount  = regexp.MustCompile(`^[-+]?\d{1,4}(\.\d+)?(ns|us|µs|ms|s|m|h|d|x|%|k|[KMGT]i?B)?$`)
	release = regexp.MustCompile(`^v?\d\d?\.\d\d?\.\d\d?$`) // of Slurm and its API: 26.05.5, v0.0.45
	ordinal = regexp.MustCompile(`^\d{1,4}(st|nd|rd|th)$`)
	symbols = regexp.MustCompile(`[^\x00-\x7f\pL\pN\pM]+`)
	length  = regexp.MustCompile(`^(\d{1,6}(\.\d+)?(h|ms|m|s|d))+$`)
)

// Text replaces, in a text, what is quoted, every name that is known, and every word that is not one
// of fairbridge's. Small numbers, amounts and times stay, but for those that follow "job" or the like.
func (m *Mapper) Text(s string) string {
	s, reason := m.cutReason(s)
	s = quoted.ReplaceAllStringFunc(s, func(q string) string { return "“" + m.Name("text", q[1:len(q)-1]) + "”" })
	s = address6.ReplaceAllStringFunc(s, m.address6)
	s = m.replacer().Replace(s)
	var b strings.Builder
	last, isOfJob, isInList := 0, false, false
	for _, at := range token.FindAllStringIndex(s, -1) {
		between, word := s[last:at[0]], s[at[0]:at[1]]
		isOfJob = isOfJob && (slices.Contains(beforeNumber, between) || between == ", " && isInList)
		b.WriteString(m.symbols(between))
		core := strings.TrimRight(word, ".-/")
		b.WriteString(m.word(core, isOfJob) + word[len(core):])
		isInList = isOfJob && (isAddress(core) || core == "and")
		last, isOfJob = at[1], announcesNumber(core) || isInList
	}
	return b.String() + m.symbols(s[last:]) + reason
}

// ourSymbols are the signs beyond ASCII that stand in fairbridge's own texts, and the quotes that are put around pseudonyms.
const ourSymbols = "×–…±·“”"

// symbols replaces signs that are neither letters, digits nor fairbridge's: emoji and the like, which may be a whole name.
func (m *Mapper) symbols(s string) string {
	return symbols.ReplaceAllStringFunc(s, func(run string) string {
		if strings.Trim(run, ourSymbols) == "" {
			return run
		}
		return m.Name("text", run)
	})
}

// beforeNumber is what stands between "job" or the like and its number.
var beforeNumber = []string{" ", "=", ":", ": ", " #", "#"}

// announcesNumber reports whether a number after this word is that of a job or a person.
func announcesNumber(word string) bool {
	return slices.Contains([]string{"job", "jobs", "uid", "gid", "id", "user", "pid"}, strings.ToLower(word))
}

// word replaces one word of a text.
func (m *Mapper) word(w string, isOfJob bool) string {
	lower := strings.ToLower(w)
	switch {
	case w == "" || m.real[w] != "":
		return w
	case m.kinds[lower] != "":
		return m.Name(m.kinds[lower], w)
	case moment.MatchString(w), release.MatchString(w), ordinal.MatchString(w):
		return w
	case isNumber(w) && (isOfJob || m.jobs[w] && len(w) > 3 || len(w) > 4):
		return m.address(w)
	case amount.MatchString(w) || length.MatchString(w) || m.isOurs(lower):
		return w
	case isOfJob && isAddress(w):
		return m.address(w)
	}
	return m.Name("text", w)
}

// isOurs reports whether a word is one of ours, as a whole: what is made of our words, as gpu-node-7, may be a host. Where it has
// parts, none is a name.
func (m *Mapper) isOurs(lower string) bool {
	return words[lower] && !slices.ContainsFunc(parts.FindAllString(lower, -1), func(p string) bool { return m.kinds[p] != "" })
}

// leastPhrase is how long a name of several words is at least that is looked for as a whole.
const leastPhrase = 4

// replacer replaces the known names that a text does not show as one word, the longest first, as they are written and in small
// letters. Their words, written otherwise, are replaced one by one unless they are ours.
func (m *Mapper) replacer() *strings.Replacer {
	if m.phrases != nil {
		return m.phrases
	}
	var list []string
	for name := range m.kinds {
		if len(name) >= leastPhrase && token.FindString(name) != name {
			list = append(list, name)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	var pairs []string
	for _, name := range list {
		p := m.Name(m.kinds[name], name)
		pairs = append(pairs, m.written[name], p, name, p)
	}
	m.phrases = strings.NewReplacer(pairs...)
	return m.phrases
}

var addressDigits = regexp.MustCompile(`\d+`)

// isAddress reports whether a word is a job as squeue writes it: 4711, 47_3.
func isAddress(w string) bool {
	array, task, ok := strings.Cut(w, "_")
	return isNumber(array) && (!ok || isNumber(task))
}

// address replaces the number of a job, or of an array; that of the task stays.
func (m *Mapper) address(w string) string {
	array, task, isTask := strings.Cut(w, "_")
	array = addressDigits.ReplaceAllStringFunc(array, func(d string) string {
		n, err := strconv.ParseUint(d, 10, 64)
		if err != nil {
			return m.Name("number", d)
		}
		return formatNumber(m.Number(n))
	})
	if isTask {
		return array + "_" + task
	}
	return array
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func formatNumber(n uint64) string { return strconv.FormatUint(n, 10) }

// setting replaces, in a value of slurm.conf, every word that is not Slurm's or ours. Numbers stay.
func (m *Mapper) setting(s string) string {
	return m.symbols(parts.ReplaceAllStringFunc(s, func(p string) string {
		if lower := strings.ToLower(p); isNumber(p) || words[lower] && m.kinds[lower] == "" {
			return p
		}
		return m.Name("text", p)
	}))
}
