package decode

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/jsonscan"
)

// replyInput is one reply while it is read, with what is kept from reply to reply.
type replyInput struct {
	jsonscan.Scanner
	limits       Limits
	expectedKeys []expectedKey // keys of the last record, in order
	lastWords    []string
	stringPool   stringPool
	textCaches   textCaches
	gresArena    listArena[slurm.GRESList]
}

// startReply begins a new reply.
func (s *replyInput) startReply(r io.Reader, l Limits) {
	s.StartDocument(r, l.scannerLimits())
	s.limits, s.expectedKeys = l, s.expectedKeys[:0]
}

// releaseMemory lets go of the memory that the records of the reply own now.
func (s *replyInput) releaseMemory() {
	s.stringPool.releaseMemory()
	s.gresArena = listArena[slurm.GRESList]{}
}

// maxHumanTextBytes is the most bytes kept of a text people write.
const maxHumanTextBytes = 4096

// readNonNegative reads a number that is never negative, in whose place older releases
// write Slurm's reserved 32-bit values.
func (s *replyInput) readNonNegative() (int64, valueStatus) {
	v, got := s.ReadNumber()
	if got != statusFound {
		return 0, got
	}
	switch v {
	case -1, 0xffffffff:
		return 0, statusInfinite
	case -2, 0xfffffffe:
		return 0, statusAbsent
	}
	if v < 0 {
		return 0, statusUnreadable
	}
	return v, statusFound
}

// readTime reads a time in seconds since 1970; 0 and "no value" are none.
func (s *replyInput) readTime() (time.Time, valueStatus) {
	const last = 253402300799 // the end of the year 9999
	v, got := s.readNonNegative()
	switch {
	case got == statusInfinite || got == statusFound && v == 0:
		return time.Time{}, statusAbsent
	case got != statusFound:
		return time.Time{}, got
	case v > last:
		return time.Time{}, statusUnreadable
	}
	return time.Unix(v, 0).UTC(), statusFound
}

// readSharedString reads a string that occurs often. One that is too long is unreadable.
func (s *replyInput) readSharedString() (string, valueStatus) {
	if s.SkipSpace() != '"' {
		return "", s.SkipWrongKind()
	}
	raw, esc, long := s.ReadRawString(s.limits.StringBytes)
	if long || s.Err() != nil {
		return "", statusUnreadable
	}
	return s.stringPool.sharedString(s.CleanText(raw, esc)), statusFound
}

// readUniqueString reads a string that hardly occurs twice.
func (s *replyInput) readUniqueString() (string, valueStatus) {
	if s.SkipSpace() != '"' {
		return "", s.SkipWrongKind()
	}
	raw, esc, long := s.ReadRawString(s.limits.StringBytes)
	if long || s.Err() != nil {
		return "", statusUnreadable
	}
	return s.stringPool.copyString(s.CleanText(raw, esc)), statusFound
}

// readHumanText reads what a person wrote, cut to a bearable length.
func (s *replyInput) readHumanText() (string, valueStatus) {
	if s.SkipSpace() != '"' {
		return "", s.SkipWrongKind()
	}
	raw, esc, _ := s.ReadRawString(maxHumanTextBytes)
	if s.Err() != nil {
		return "", statusUnreadable
	}
	return s.stringPool.sharedString(cutBytes(s.CleanText(raw, esc), maxHumanTextBytes)), statusFound
}

// cutBytes shortens b to at most n bytes, between characters.
func cutBytes(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// readWords reads a string or a list of strings into lastWords, in upper case where
// asked.
func (s *replyInput) readWords(upper bool) valueStatus {
	s.lastWords = s.lastWords[:0]
	if s.SkipSpace() != '[' {
		return s.readListItem(upper)
	}
	got := statusFound
	s.EnterBracket('[')
	for s.NextItem(']') {
		if len(s.lastWords) >= s.limits.ListItems {
			s.Fail("list of more than %d strings: %w", s.limits.ListItems, jsonscan.ErrOverLimit)
		} else if s.readListItem(upper) != statusFound {
			got = statusUnreadable
		}
	}
	return got
}

// readListItem reads one string into lastWords.
func (s *replyInput) readListItem(upper bool) valueStatus {
	if s.SkipSpace() != '"' {
		return s.SkipWrongKind()
	}
	raw, esc, long := s.ReadRawString(s.limits.StringBytes)
	if long || s.Err() != nil {
		return statusUnreadable
	}
	b := s.CleanText(raw, esc)
	if upper && slices.ContainsFunc(b, func(c byte) bool { return 'a' <= c && c <= 'z' }) {
		b = bytes.ToUpper(b)
	}
	s.lastWords = append(s.lastWords, s.stringPool.sharedString(b))
	return statusFound
}

// readHosts reads a hostlist, written as a string or a list.
func (s *replyInput) readHosts() (slurm.Hosts, valueStatus) {
	if s.SkipSpace() == '[' {
		got := s.readWords(false)
		return s.textCaches.parseHosts(strings.Join(s.lastWords, ",")), got
	}
	h, got := s.readSharedString()
	if h == "(null)" || h == "None assigned" {
		h = ""
	}
	return s.textCaches.parseHosts(h), got
}

// readCommaList reads a list of strings, or one string with commas.
func (s *replyInput) readCommaList() ([]string, valueStatus) {
	list := s.SkipSpace() == '['
	got := s.readWords(false)
	if !list && len(s.lastWords) == 1 {
		return s.stringPool.copyList(strings.FieldsFunc(s.lastWords[0], func(r rune) bool { return r == ',' })), got
	}
	return s.stringPool.copyList(s.lastWords), got
}

// Reservations appends the reservation records of a reply to into.
func (d *Decoder) Reservations(r io.Reader, into []slurm.Reservation) ([]slurm.Reservation, slurm.ReplyMeta, error) {
	return readRecords(d, r, "reservations", into, readReservation)
}

// reservationSchema is every field of a reservation record this package reads.
// Numbers are plain until v0.0.38 and wrapped since.
var reservationSchema = newRecordSchema(
	sharedStringField("name", func(r *slurm.Reservation) *string { return &r.Name }),
	hostsField("node_list", func(r *slurm.Reservation) *slurm.Hosts { return &r.Nodes }),
	timeField("start_time", func(r *slurm.Reservation) *time.Time { return &r.Start }),
	timeField("end_time", func(r *slurm.Reservation) *time.Time { return &r.End }),
	recordField[slurm.Reservation]{"flags", readReservationFlags},
	optionalField(nonNegativeField("core_count", func(r *slurm.Reservation) *int { return &r.CoreCount })),
	optionalField(nonNegativeField("node_count", func(r *slurm.Reservation) *int { return &r.NodeCount })),
	optionalField(parsedTextField("tres", func(r *slurm.Reservation) *slurm.TRES { return &r.TRES }, (*textCaches).parseTRES)),
	optionalField(commaListField("users", func(r *slurm.Reservation) *[]string { return &r.Users })),
	optionalField(commaListField("accounts", func(r *slurm.Reservation) *[]string { return &r.Accounts })),
	optionalField(commaListField("groups", func(r *slurm.Reservation) *[]string { return &r.Groups })),
	optionalField(sharedStringField("partition", func(r *slurm.Reservation) *string { return &r.Partition })),
	optionalField(sharedStringField("licenses", func(r *slurm.Reservation) *string { return &r.Licenses })),
)

func readReservationFlags(s *replyInput, r *slurm.Reservation) valueStatus {
	got := s.readWords(true)
	s.sortWords()
	r.Flags = s.stringPool.copyList(s.lastWords)
	return got
}

// readReservation reads one reservation record. What cannot be read of it is said,
// since it sets something aside all the same.
func readReservation(s *replyInput, r *slurm.Reservation) {
	_, wrong := reservationSchema.readRecord(s, r)
	if s.Err() != nil {
		return
	}
	if r.Name == "" {
		s.Fail("a reservation without a name")
		return
	}
	if !wrong.isEmpty() {
		r.UnreadReason = reservationSchema.firstFieldName(wrong) + " is not of the expected kind"
	}
}

// jobBaseStates are the base states of jobs; every other word is a flag.
var jobBaseStates = map[string]bool{
	"PENDING": true, "RUNNING": true, "SUSPENDED": true, "COMPLETED": true,
	"CANCELLED": true, "FAILED": true, "TIMEOUT": true, "NODE_FAIL": true,
	"PREEMPTED": true, "BOOT_FAIL": true, "DEADLINE": true, "OUT_OF_MEMORY": true,
}

// baseStateByFlag is the base state of a job for which old releases, which print
// one word, show only the flag.
var baseStateByFlag = map[string]string{
	"CONFIGURING": "RUNNING", "RESIZING": "RUNNING", "SIGNALING": "RUNNING",
	"STOPPED": "RUNNING", "POWER_UP_NODE": "RUNNING",
	"REQUEUED": "PENDING", "REQUEUE_HOLD": "PENDING", "REQUEUE_FED": "PENDING",
	"SPECIAL_EXIT": "PENDING", "RESV_DEL_HOLD": "PENDING",
	"COMPLETING": "COMPLETING", "STAGE_OUT": "STAGE_OUT", "REVOKED": "REVOKED",
}

// splitJobState takes the base state out of lastWords and leaves the flags, sorted.
func (s *replyInput) splitJobState() (string, valueStatus) {
	for i, w := range s.lastWords {
		if jobBaseStates[w] {
			s.lastWords = slices.Delete(s.lastWords, i, i+1)
			s.sortWords()
			return w, statusFound
		}
	}
	s.sortWords()
	for _, w := range s.lastWords {
		if base, ok := baseStateByFlag[w]; ok {
			return base, statusFound
		}
	}
	return "", statusUnreadable
}

// nodeBaseStates are the base states of nodes; every other word is a flag.
var nodeBaseStates = map[string]bool{
	"UNKNOWN": true, "DOWN": true, "IDLE": true, "ALLOCATED": true,
	"ERROR": true, "MIXED": true, "FUTURE": true,
}

// sortWords sorts lastWords and removes repetitions.
func (s *replyInput) sortWords() {
	if len(s.lastWords) > 1 {
		slices.Sort(s.lastWords)
		s.lastWords = slices.Compact(s.lastWords)
	}
}

// Limits bound what is believed of a reply. Zero fields mean the defaults.
type Limits struct {
	ReplyBytes  int64 // whole reply; default 256 MiB
	StringBytes int   // bytes of a kept string; a longer one is unreadable; default 1 MiB
	Depth       int   // nesting; default 64
	ListItems   int   // items of a list of strings or results; default 100,000
}

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	if l.ReplyBytes == 0 {
		l.ReplyBytes = 256 << 20
	}
	if l.StringBytes == 0 {
		l.StringBytes = 1 << 20
	}
	if l.Depth == 0 {
		l.Depth = 64
	}
	if l.ListItems == 0 {
		l.ListItems = 100_000
	}
	return l
}

// scannerLimits returns the bounds of the document.
func (l Limits) scannerLimits() jsonscan.Limits {
	return jsonscan.Limits{DocumentBytes: l.ReplyBytes, KeyBytes: l.StringBytes, Depth: l.Depth}
}

// valueStatus says what was found where a value should be.
type valueStatus = jsonscan.Status

const (
	statusAbsent     = jsonscan.StatusAbsent
	statusFound      = jsonscan.StatusFound
	statusInfinite   = jsonscan.StatusInfinite
	statusUnreadable = jsonscan.StatusUnreadable
)
