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
