package erasure

import "fmt"

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
