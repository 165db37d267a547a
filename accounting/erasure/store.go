// Package erasure makes the rows of a user anonymous: in what is kept for sums per account a pseudonym takes the place of the name, what serves
// the user alone is deleted, and sentences that have the name have the pseudonym instead. That it was done is recorded without the
// name.
package erasure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/sql"
)

// Store erases users of one database.
type Store struct {
	DB *accounting.DB
}

// What keeps a user from being erased.
var (
	ErrUnknown = errors.New("no row is of this user")
	ErrActive  = errors.New("the user has jobs that wait or run, or changes of ours in jobs that are not settled: end them first")
	// ErrRecent is that slurmdbd's records of the last job are read again, and would bring the name back.
	ErrRecent = errors.New("the user's last job ended less than two days ago: until then its record is read again from slurmdbd, which has the name")
)

// minAge is how long ago the last job must have ended: slurmdbd is read again for a day.
const minAge = 48 * time.Hour

// Count says how many rows of a table are changed or deleted; one that is changed twice counts twice.
type Count struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// Erasure is what was done, or would be.
type Erasure struct {
	Pseudonym string  `json:"pseudonym,omitempty"` // of a dry run none
	Counts    []Count `json:"counts"`              // of tables with any, in order of change
}

// errDry undoes a transaction that was only to count.
var errDry = errors.New("dry run")

var qState = sql.QueryText("erasure_state")

// Erase makes a user's rows anonymous, all or nothing; by is who has it done. With isDry it counts and changes nothing. Who uses a name that is a
// word of sentences of ours, such as "job", is erased as well, and the sentences then have the pseudonym there.
func (s *Store) Erase(ctx context.Context, cluster, user, by string, now time.Time, isDry bool) (e Erasure, err error) {
	err = s.DB.RunLongTx(ctx, "erasing a user", func(tx pgx.Tx) error {
		if err := checkState(ctx, tx, cluster, user, now); err != nil {
			return err
		}
		var id int64
		if err := tx.QueryRow(ctx, "insert into fairbridge.erasures (cluster, done_by) values ($1, $2) returning id", cluster, by).Scan(&id); err != nil {
			return err
		}
		e = Erasure{Pseudonym: fmt.Sprintf("erased-%d", id)}
		if err := e.change(ctx, tx, cluster, user); err != nil {
			return err
		}
		var all int64
		for _, c := range e.Counts {
			all += c.Rows
		}
		if _, err := tx.Exec(ctx, "update fairbridge.erasures set changed = $2 where id = $1", id, all); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, sql.QueryText("watch_rewritten"), cluster); err != nil { // sums of old usage go by names
			return err
		}
		if isDry {
			return errDry
		}
		return nil
	})
	if errors.Is(err, errDry) {
		e.Pseudonym, err = "", nil
	}
	return e, err
}

func checkState(ctx context.Context, tx pgx.Tx, cluster, user string, now time.Time) error {
	var known, active bool
	var last *time.Time
	if err := tx.QueryRow(ctx, qState, cluster, user).Scan(&known, &active, &last); err != nil {
		return err
	}
	switch {
	case !known:
		return ErrUnknown
	case active:
		return ErrActive
	case last != nil && now.Sub(*last) < minAge:
		return ErrRecent
	}
	return nil
}

func (e *Erasure) change(ctx context.Context, tx pgx.Tx, cluster, user string) error {
	quoted, err := quoteJSON(user)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "select set_config('fairbridge.keeps_sums', 'on', true)"); err != nil { // names are changed in sums, too: no day is to be summed up anew
		return err
	}
	for _, part := range []struct {
		statements []statement
		args       []any
	}{
		{ownStatements(), []any{cluster, user, e.Pseudonym}},
		{mentionStatements(plainText), []any{cluster, user, wordPattern(user), e.Pseudonym}},
		{mentionStatements(textList), []any{cluster, user, wordPattern(user), e.Pseudonym}},
		{mentionStatements(jsonValue), []any{cluster, quoted, jsonPattern(quoted), e.Pseudonym}},
		{packedStatements, []any{cluster}},
	} {
		for _, st := range part.statements {
			tag, err := tx.Exec(ctx, st.text, part.args...)
			if err != nil {
				return fmt.Errorf("table %s: %w", st.table, err)
			}
			e.count(st.table, tag.RowsAffected())
		}
	}
	return e.dropLastSnapshots(ctx, tx, cluster, quoted)
}

// quoteJSON returns a text as it stands in JSON, without the quotes around it.
func quoteJSON(s string) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return "", err
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1], nil
}

// dropLastSnapshots drops the last snapshot of a partition where it has the name: that of a daemon that stopped while the user had
// jobs.
func (e *Erasure) dropLastSnapshots(ctx context.Context, tx pgx.Tx, cluster, quoted string) error {
	type packed struct {
		Partition string
		Seq       int64
		Snapshot  []byte
	}
	list, err := accounting.CollectRows(ctx, tx, pgx.RowToStructByPos[packed], "select partition, seq, snapshot from fairbridge.cycles where cluster = $1 and snapshot is not null", cluster)
	if err != nil {
		return err
	}
	for _, l := range list {
		text, err := value.Gunzip(l.Snapshot)
		if err != nil {
			return fmt.Errorf("unpacking the last snapshot of partition %s: %w", l.Partition, err)
		}
		if !bytes.Contains(text, []byte(`"`+quoted+`"`)) {
			continue
		}
		if _, err := tx.Exec(ctx, "update fairbridge.cycles set snapshot = null where cluster = $1 and partition = $2 and seq = $3", cluster, l.Partition, l.Seq); err != nil {
			return err
		}
		e.count("cycles", 1)
	}
	return nil
}

func (e *Erasure) count(table string, rows int64) {
	for i := range e.Counts {
		if e.Counts[i].Table == table {
			e.Counts[i].Rows += rows
			return
		}
	}
	if rows > 0 {
		e.Counts = append(e.Counts, Count{table, rows})
	}
}

// wordPattern is a regular expression of Postgres that finds a name where it is no part of a longer one. In ADDRESS@HOST it is
// found. A number that is said to be of a job is no name.
func wordPattern(name string) string {
	pattern := `(?<![[:alnum:]_.@-])` + regexp.QuoteMeta(name) + `(?![[:alnum:]_-])`
	if isNumber.MatchString(name) {
		return `(?<!\m(job|jobs|id) )` + pattern
	}
	return pattern
}

// isNumber tells names that could be numbers of jobs, isBare those that could be values of JSON.
var isNumber, isBare = regexp.MustCompile(`^[0-9]+$`), regexp.MustCompile(`^([-+.0-9eE]+|true|false|null)$`)

// jsonPattern is wordPattern in JSON. A name that could be a value other than a text is found where it is a whole text.
func jsonPattern(quoted string) string {
	if isBare.MatchString(quoted) {
		return `(?<=")` + regexp.QuoteMeta(quoted) + `(?=")`
	}
	return wordPattern(quoted)
}

// Where a user's name or own words may stand in schema fairbridge. A test wants every column of texts to be in one of these
// lists or in one of columns that cannot hold any.

// renamed are the tables whose rows stay, under a pseudonym: sums per account rest on them. Columns named besides hold the user's own words,
// and are emptied.
var renamed = []struct {
	table  string
	column string // ""; none
}{
	{"job_runs", "name"}, {"run_facts", "name"}, {"run_segments", ""}, {"usage_days", ""}, {"run_days", ""}, {"wait_days", ""}, {"predictions", ""},
	{"start_estimates", ""}, {"job_estimates", ""}, {"deadline_promises", ""}, {"idle_reminders", ""}, {"idle_messages", "error"},
}

// deleted are the tables whose rows go: what was learnt of the user's jobs serves that user's later jobs alone, and is kept by names that
// the user gave.
var deleted = []string{"account_users", "job_speeds", "job_profiles", "job_losses", "job_requests", "restart_costs", "service_hours"}

// kind is how texts stand in a column.
type kind int

const (
	plainText kind = iota
	textList
	jsonValue
)

// mentions are the columns of sentences and values in which the user's name may stand: it is replaced there.
var mentions = []struct {
	table, column string
	kind          kind
}{
	{"decisions", "why", plainText}, {"decision_now", "why", plainText}, {"doubts", "why", plainText}, {"gpu_weights", "author", plainText},
	{"intents", "why", plainText}, {"intents", "text", plainText}, {"intents", "error", plainText}, {"intents", "before", jsonValue},
	{"operator_actions", "why", plainText}, {"operator_actions", "effect", plainText}, {"operator_actions", "author", plainText}, {"operator_actions", "ended_by", plainText},
	{"operator_actions", "origin", plainText}, {"operator_actions", "target", jsonValue},
	{"demotions", "why", plainText}, {"demotions", "demoted_by", plainText}, {"demotions", "cleared_by", plainText}, {"demotions", "cleared_why", plainText},
	{"guard_checks", "reasons", textList}, {"guard_checks", "remarks", textList}, {"guard_checks", "figures", jsonValue},
	{"studies", "author", plainText}, {"studies", "about", plainText}, {"studies", "accuracy", plainText}, {"studies", "remarks", textList}, {"studies", "lines", jsonValue},
	{"cycles", "refused", jsonValue}, {"erasures", "done_by", plainText},
}

// statement is one change; its arguments are the cluster, the user and the pseudonym, or those of mentions.
type statement struct {
	table, text string
}

// ownStatements change the rows of the user: $1 the cluster, $2 the user, $3 the pseudonym.
func ownStatements() (all []statement) {
	for _, r := range renamed {
		empty := ""
		if r.column != "" {
			empty = fmt.Sprintf(", %s = ''", r.column)
		}
		all = append(all, statement{r.table, fmt.Sprintf("update fairbridge.%s set user_name = $3%s where cluster = $1 and user_name = $2", r.table, empty)})
	}
	for _, table := range deleted {
		all = append(all, statement{table, fmt.Sprintf("delete from fairbridge.%s where cluster = $1 and user_name = $2 and $3 <> ''", table)})
	}
	return all
}

// mentionStatements replace the name where it stands as a word: $1 the cluster, $2 the name as it stands, $3 the pattern, $4 the pseudonym.
func mentionStatements(of kind) (all []statement) {
	for _, m := range mentions {
		if m.kind != of {
			continue
		}
		column := m.table + "." + m.column
		text, value := column, fmt.Sprintf("regexp_replace(%s, $3, $4, 'g')", column)
		switch of {
		case textList:
			text = fmt.Sprintf("array_to_string(%s, ' ')", column)
			value = fmt.Sprintf("array(select regexp_replace(e, $3, $4, 'g') from unnest(%s) with ordinality x (e, n) order by n)", column)
		case jsonValue:
			text = column + "::text"
			value = fmt.Sprintf("regexp_replace(%s::text, $3, $4, 'g')::jsonb", column)
		}
		all = append(all, statement{m.table, fmt.Sprintf("update fairbridge.%s set %s = %s where cluster = $1 and position($2 in %s) > 0 and %s ~ $3", m.table, m.column, value, text, text)})
	}
	return all
}

// packedStatements drop what is packed and may hold the user's name among those of others: snapshots of past cycles, without which those cannot be
// replayed, what policies remembered in them, and models of run times, which are learnt anew. $1 is the cluster. The last memory of each policy stays as it
// is: the next cycle decides by it, and by its keys, which may be accounts.
var packedStatements = []statement{
	{"cycles", "update fairbridge.cycles set snapshot = null where cluster = $1 and snapshot is not null and (partition, seq) not in (select partition, max(seq) from fairbridge.cycles where cluster = $1 group by partition)"},
	{"cycles", "update fairbridge.cycles set memo = null where cluster = $1 and memo is not null and (partition, policy, params, seq) not in (select partition, policy, params, max(seq) from fairbridge.cycles where cluster = $1 group by partition, policy, params)"},
	{"models", "delete from fairbridge.models where cluster = $1"},
}
