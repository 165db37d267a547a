package privacy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fairbridge/api"
)

// Names says what names in texts stand for.
type Names interface {
	// JobOwner returns whose job an address such as 4711, 47_3 or 47_[0-9] is; false: it is not known.
	JobOwner(address string) (user, account string, known bool)
	// UserAccounts returns the accounts of a user; none: there is no user of that name.
	UserAccounts(name string) []string
	IsAccount(name string) bool
}

// Texts hides in sentences what their reader may not see.
type Texts struct {
	Rule
	Names
}

// Hide returns the sentence with other words for the jobs, users and accounts that the viewer may
// not see. What is not known is hidden.
func (t *Texts) Hide(text string) string {
	if t.HidesNothing() || text == "" {
		return text
	}
	return t.hideNames(t.hideJobs(t.hideWorkflows(text)))
}

// restHidden stands for the rest of a sentence that cannot be told apart from a name in it.
const restHidden = "another account (the rest names jobs of others)"

// hideWorkflows cuts a sentence where it names a workflow of somebody else, account/user/name of its jobs: a
// name may be any text, so that nobody can tell where it ends.
func (t *Texts) hideWorkflows(text string) string {
	const word = "account "
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return text
		}
		i += from
		from = i + len(word)
		account, user, ok := workflowOwner(text[from:])
		if ok && !t.Viewer.Owns(user, account) {
			return text[:i] + restHidden
		}
	}
}

// workflowOwner reads account/user/ from the front of a text.
func workflowOwner(text string) (account, user string, ok bool) {
	account, rest, hasUser := strings.Cut(text, "/")
	user, _, hasName := strings.Cut(rest, "/")
	return account, user, hasUser && hasName && !strings.ContainsFunc(account+user, unicode.IsSpace)
}

// HideAll hides in each of the sentences.
func (t *Texts) HideAll(texts []string) []string {
	if t.HidesNothing() {
		return texts
	}
	out := slices.Clone(texts)
	for i := range out {
		out[i] = t.Hide(out[i])
	}
	return out
}

// SeesJobNamed reports whether the job of an address may be named in a text that tells of use too.
func (t *Texts) SeesJobNamed(address string) bool {
	if t.HidesNothing() {
		return true
	}
	user, account, known := t.JobOwner(address)
	return known && t.Viewer.Owns(user, account)
}

// ordinaryWords follow the words account and user in our own sentences: they are no names, unless
// somebody has them.
var ordinaryWords = []string{
	"a", "above", "alone", "and", "are", "ask", "at", "before", "below", "denied", "differ", "earlier", "exchange", "first", "gets", "had", "has", "holds", "in", "is", "it",
	"its", "may", "nearly", "of", "on", "put", "served", "stand", "submits", "that", "the", "to", "trade", "used", "uses", "weights", "which", "whose", "with", "within",
	"without", "would",
}

// kindByWord says what the word before a name says that it is.
var kindByWord = map[string]string{
	"account": "account", "accounts": "account", "user": "user", "users": "user", "partition": "other", "partitions": "other", "reservation": "other",
	"QOS": "other", "policy": "other",
}

// hideNames hides users and accounts wherever they stand by themselves.
func (t *Texts) hideNames(text string) string {
	var b strings.Builder
	kind := "" // what the word before says
	for i := 0; i < len(text); {
		n := nameLength(text[i:])
		if n == 0 {
			r, size := utf8.DecodeRuneInString(text[i:])
			if !unicode.IsSpace(r) && r != '"' && r != '(' {
				kind = ""
			}
			b.WriteString(text[i : i+size])
			i += size
			continue
		}
		name := text[i : i+n]
		shown := t.nameText(name, kind)
		if shown != name && kind != "" {
			shown = strings.TrimPrefix(shown, "another "+kind) // "account X" becomes "account another": see below
			shown = "(another)" + shown
		}
		b.WriteString(shown)
		kind = kindByWord[name]
		i += n
	}
	return anotherInOrder.Replace(b.String())
}

// anotherInOrder puts the words into order where a name followed what it is.
var anotherInOrder = strings.NewReplacer(
	"account (another)", "another account", "accounts (another)", "other accounts", "user (another)", "another user", "users (another)", "other users",
)

// ownWords stay where nothing says that they are a name, whoever bears it: every sentence has them, so that
// they tell nothing of a user or account that is called so.
var ownWords = append([]string{"account", "accounts", "another", "job", "jobs", "names", "other", "others", "rest", "user", "users"}, ordinaryWords...)

// nameText returns the name, or other words for it where it may not be seen.
func (t *Texts) nameText(name, kind string) string {
	if kind == "other" {
		return name
	}
	if kind == "" && slices.Contains(ownWords, name) {
		return name
	}
	accounts := t.UserAccounts(name)
	isAccount, isUser := t.IsAccount(name), len(accounts) > 0
	if kind == "" && strings.Trim(name, "0123456789.,") == "" {
		return name // a number
	}
	switch {
	case !isAccount && !isUser && kind != "" && !slices.Contains(ordinaryWords, strings.ToLower(name)):
		return "another " + kind // of a name that nobody has now
	case isAccount && kind != "user" && !t.seesAccountNamed(name):
		return "another account"
	case isUser && kind != "account" && !t.seesUserNamed(name, accounts):
		return "another user"
	}
	return name
}

func (t *Texts) seesUserNamed(name string, accounts []string) bool {
	return t.Viewer.Owns(name, "") || slices.ContainsFunc(accounts, func(a string) bool { return slices.Contains(t.Viewer.Accounts, a) })
}

// seesAccountNamed reports whether an account may be named: the viewer coordinates or uses it.
func (t *Texts) seesAccountNamed(name string) bool {
	return slices.Contains(t.Viewer.Accounts, name) || slices.Contains(t.UserAccounts(t.Viewer.User), name)
}

func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' || r == '.' || strings.ContainsRune("@$\\+&", r)
}

// nameLength returns how many bytes at the front of a text may be a name: without a full stop or a
// hyphen at its end.
func nameLength(text string) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !isNameRune(r) {
			break
		}
		n += size
	}
	if short := len(strings.TrimRight(text[:n], ".-")); short > 0 {
		return short
	}
	return n
}

// Rule is what one viewer may see.
type Rule struct {
	Viewer  *api.Viewer
	Private api.Privacy
}

// SeesJob reports whether a job of a user and an account may be seen.
func (r Rule) SeesJob(user, account string) bool {
	return !r.Private.Jobs || r.Viewer.Owns(user, account)
}

// SeesUse reports whether it may be seen what a user of an account used.
func (r Rule) SeesUse(user, account string) bool {
	return !r.Private.Usage || r.Viewer.Owns(user, account)
}

// SeesAccountUse reports whether it may be seen what a whole account used.
func (r Rule) SeesAccountUse(account string) bool { return r.SeesUse("", account) }

// SeesNodes reports whether nodes may be seen, and who holds them.
func (r Rule) SeesNodes() bool { return !r.Private.Nodes || r.Viewer.IsOperator() }

// SeesPlace reports whether it may be seen where a job of a user and an account runs.
func (r Rule) SeesPlace(user, account string) bool {
	return r.SeesNodes() || r.Viewer.Owns(user, account)
}

// SeesWhy reports whether the reason of a decision about a job of a user and an account may be seen:
// it tells what its account used.
func (r Rule) SeesWhy(user, account string) bool {
	return r.SeesJob(user, account) && r.SeesUse(user, account)
}

// HidesNothing reports whether texts can be shown as they are.
func (r Rule) HidesNothing() bool {
	return r.Viewer.IsOperator() || !r.Private.Jobs && !r.Private.Usage
}
