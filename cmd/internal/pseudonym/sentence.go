package pseudonym

import "regexp"

// reservationName finds the name of a reservation in sentences of policy, intake and gate.
var reservationName = regexp.MustCompile(`(?:set aside for (?:reservation|the maintenance)|(?:belongs to|runs in|waits in) reservation) ([^\s,;]+)`)

// reason finds what an operator said at the end of the sentences on a stop, a lowered mode and a job that is
// left alone, as package bridge writes them.
var reason = regexp.MustCompile(`(?s)(?:, until [^,;]*?(?: UTC|fairbridge operate resume|fairbridge guard clear \S+|MODE)\. |is left alone(?: until [^,;]*? UTC)? by [^:]+: )(.+)$`)

// byGuard tells the sentence on what the daemon's guards did by themselves, whose reasons are fairbridge's.
var byGuard = regexp.MustCompile(` by the (harm guard|guard of what is learnt) since `)

// findReason returns where an operator's reason begins; the length of the text: there is none.
func findReason(s string) int {
	at := reason.FindStringSubmatchIndex(s)
	if at == nil || byGuard.MatchString(s[:at[2]]) {
		return len(s)
	}
	return at[2]
}

// cutReason cuts what an operator said from a sentence, and returns its pseudonym in quotes.
func (m *Mapper) cutReason(s string) (before, quote string) {
	at := findReason(s)
	if at == len(s) {
		return s, ""
	}
	return s[:at], "“" + m.Name("text", s[at:]) + "”"
}

// learnSentence takes the names of reservations and what operators said for known.
func (m *Mapper) learnSentence(s string) {
	for _, found := range reservationName.FindAllStringSubmatch(s, -1) {
		m.Know("reservation", found[1])
	}
	m.Know("text", s[findReason(s):])
}
