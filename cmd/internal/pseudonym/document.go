package pseudonym

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kindByKey says of which kind the texts below a key are. A key that is not here has texts of
// fairbridge, by which Text goes.
var kindByKey = map[string]string{
	"user": "user", "users": "user", "owner": "user", "actor": "user", "by": "user", "viewer": "user", "slurm_user": "user", "operators": "user",
	"account": "account", "accounts": "account", "deadline_budget": "account", "group": "group", "partition": "partition", "partitions": "partition",
	"node": "node", "nodes": "node", "required": "node", "excluded": "node", "host": "node", "instance": "node", "cluster": "cluster", "qos": "qos",
	"daemon": "daemon", "holder": "daemon", "comment": "text", "admin_comment": "text", "directive": "text", "command": "text", "work_dir": "text",
	"exempt_users": "user", "exempt_accounts": "account", "exempt_partitions": "partition",
	"path": "text", "script": "text", "service": "service", "services": "service", "reservation": "reservation", "license": "text", "features": "text",
	"sluid": "text", "constraint": "text", "address": "job", "jobs": "job", "array": "job",
	"parent": "account", "metric": "metric", // the name of one
	"job": "job", "job_id": "job", "uid": "job", "gid": "job", "user_id": "job", // as texts, in lines of a log
	"is": "measure", "le": "measure", "quantile": "measure", // of metrics: the value, and labels of histograms and summaries
}

// numberKeys are the keys of numbers that are those of a job or a person.
var numberKeys = strings.Fields("job for job_id array_job uid gid user_id group_id pid")

// isName reports whether texts of a kind are names that texts may cite.
func isName(kind string) bool {
	return kind != "" && kind != "job" && kind != "setting" && kind != "metric" && kind != "measure"
}

// HoldsNames reports whether the texts of a key are names or jobs: a number there counts nothing.
func HoldsNames(key string) bool { return kindOf("", strings.ToLower(key)) != "" }

// closedKeys are those whose values are of lists that fairbridge and Slurm have: whatever names there are, a
// value that is made of our words stays.
var closedKeys = strings.Fields("format state verb mode kind level cause policy")

// isClosed reports whether a value of a key is one of such a list.
func (m *Mapper) isClosed(key, s string) bool {
	return slices.Contains(closedKeys, key) && token.FindString(s) == s && m.isWords(strings.ToLower(s))
}

// metricPrefixes are those of what the daemon measures: of names with them the program alone has the say.
var metricPrefixes = []string{"fairbridge_", "go_", "process_", "promhttp_"}

// metric replaces the name of a metric that is none of the daemon's.
func (m *Mapper) metric(name string) string {
	if slices.ContainsFunc(metricPrefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
		return name
	}
	return m.Name("metric", name)
}

// nameKeyed are the keys of objects whose own keys are names, where all they hold is numbers.
var nameKeyed = []string{"accounts", "deadline_budget"}

// kindOf is the kind of the texts of a key in its parent; "": texts of fairbridge.
func kindOf(parent, key string) string {
	switch {
	case parent == "settings":
		return "setting"
	case key != "name":
		return kindByKey[key]
	}
	switch parent {
	case "columns", "report":
		return ""
	}
	if k := kindByKey[parent]; k != "" && k != "job" {
		return k
	}
	return "name"
}

// Learn takes the names of a document, as JSON decodes it, for known.
func (m *Mapper) Learn(doc any) { m.learn("", "", doc) }

func (m *Mapper) learn(parent, key string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, child := range v {
			if isNameKeyed(key, v) {
				m.Know(kindByKey[key], k)
			}
			m.learn(key, childKey(v, k), child)
		}
	case []any:
		for _, child := range v {
			m.learn(parent, key, child)
		}
	case string:
		m.learnText(kindOf(parent, key), v)
	case json.Number:
		if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil && slices.Contains(numberKeys, key) {
			m.jobs[formatNumber(n)] = true
		}
	}
}

func (m *Mapper) learnText(kind, s string) {
	if kind == "" {
		m.learnSentence(s)
	}
	if isName(kind) {
		for _, name := range split(kind, s) {
			m.Know(kind, name)
		}
	}
}

func isNameKeyed(key string, v map[string]any) bool {
	if !slices.Contains(nameKeyed, key) {
		return false
	}
	for _, child := range v {
		if _, ok := child.(json.Number); !ok {
			return false
		}
	}
	return true
}

// childKey is the key that a child goes by: the name of a report is no name of anything else, and why of what a
// person did is that person's text.
func childKey(v map[string]any, k string) string {
	if _, ok := v["columns"]; ok && k == "name" {
		return "title"
	}
	if by, ok := v["by"].(string); ok && k == "why" && !byGuard.MatchString(" by "+by+" since ") {
		return "comment"
	}
	return strings.ToLower(k)
}

// Document replaces the names of a document, as JSON decodes it with numbers as json.Number. Learn first what is
// to be known.
func (m *Mapper) Document(doc any) any { return m.document("", "", doc) }

func (m *Mapper) document(parent, key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out[m.objectKey(isNameKeyed(key, v), key, k)] = m.document(key, childKey(v, k), v[k])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = m.document(parent, key, v[i])
		}
		return out
	case string:
		if m.isClosed(key, v) {
			return v
		}
		return m.value(kindOf(parent, key), v)
	case json.Number:
		if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil && slices.Contains(numberKeys, key) {
			return json.Number(formatNumber(m.Number(n)))
		}
	}
	return v
}

// objectKey replaces a key of an object where it is a name, or no word of fairbridge's.
func (m *Mapper) objectKey(isName bool, parent, k string) string {
	switch {
	case isAddress(k):
		return m.address(k)
	case isName:
		return m.Name(kindByKey[parent], k)
	case kindByKey[k] == "measure" || m.isWords(strings.ToLower(k)):
		return k
	}
	return m.Name("key", k)
}

// isWords is isOurs, whatever names there are.
func (m *Mapper) isWords(lower string) bool {
	return !slices.ContainsFunc(parts.FindAllString(lower, -1), func(p string) bool { return !words[p] && !isNumber(p) })
}

var job = regexp.MustCompile(`^\d+(_[\d\[\],%-]+)?$`)

// value replaces a text of a kind.
func (m *Mapper) value(kind, s string) string {
	switch _, err := time.Parse(time.RFC3339Nano, s); {
	case s == "" || err == nil:
		return s
	case kind == "job" && job.MatchString(s):
		return m.address(s)
	case kind == "job":
		return m.Name("job", s)
	case kind == "measure" && isMeasure(s):
		return s
	case kind == "measure":
		return m.Text(s)
	case kind == "metric":
		return m.metric(s)
	case kind == "setting":
		return m.setting(s)
	case kind != "":
		list := split(kind, s)
		for i := range list {
			list[i] = m.Name(kind, list[i])
		}
		return strings.Join(list, ",")
	}
	return m.Text(s)
}

// isMeasure reports whether a text is a number as Prometheus writes it, NaN and +Inf among them.
func isMeasure(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// split parts a list of nodes; other values are one name.
func split(kind, s string) []string {
	if kind == "node" && !strings.Contains(s, "[") {
		return strings.Split(s, ",")
	}
	return []string{s}
}
