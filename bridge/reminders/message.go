package reminders

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Entry is what a message says of a job.
type Entry struct {
	Job          int64         `json:"job"`
	Label        string        `json:"address"` // as squeue writes it
	Name         string        `json:"name"`
	Account      string        `json:"account"`
	Partition    string        `json:"partition"`
	Step         time.Duration `json:"-"`
	StepSeconds  int64         `json:"step_seconds"`
	IdleGPUs     int           `json:"idle_gpus"` // idle for the step or longer
	MeasuredGPUs int           `json:"measured_gpus"`
	IdleSince    time.Time     `json:"idle_since"` // the last of them
}

// Message is what one owner is told at once. Texts in it are harmless: no control characters, bounded.
type Message struct {
	ID      int64   `json:"id"` // given when it is claimed
	Cluster string  `json:"cluster"`
	User    string  `json:"user"`
	Address string  `json:"mail,omitempty"` // ""; none is known
	Subject string  `json:"subject"`
	Text    string  `json:"text"`
	Jobs    []Entry `json:"jobs"`
}

func newEntry(j *slurm.Job, step time.Duration, reached []Spell, measured int) Entry {
	since := slices.MaxFunc(reached, func(a, b Spell) int { return a.Since.Compare(b.Since) }).Since
	return Entry{
		Job: j.ID, Label: printable.Text(j.Label()), Name: printable.Text(printable.Truncate(j.Name, 60)), Account: printable.Text(j.Account), Partition: printable.Text(j.PartitionText()),
		Step: step, StepSeconds: int64(step / time.Second), IdleGPUs: len(reached), MeasuredGPUs: measured, IdleSince: since.UTC(),
	}
}

// addEntry adds to the message of an owner and address, or begins it.
func addEntry(due []Message, user, address string, e Entry) []Message {
	for i := range due {
		if due[i].User == user && due[i].Address == address {
			due[i].Jobs = append(due[i].Jobs, e)
			return due
		}
	}
	return append(due, Message{User: user, Address: address, Jobs: []Entry{e}})
}

// idleGPUTime is how much GPU time the jobs were idle.
func (m *Message) idleGPUTime(at time.Time) (sum time.Duration) {
	for i := range m.Jobs {
		sum += time.Duration(m.Jobs[i].IdleGPUs) * at.Sub(m.Jobs[i].IdleSince)
	}
	return sum
}

// Mail addresses that are written to: plain ones. What else RFC 5322 allows no site needs, and a header may break.
var (
	mailAddress = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*@[A-Za-z0-9][A-Za-z0-9.-]*$`)
	mailName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)
)

// longestAddress is that of RFC 5321.
const longestAddress = 254

// address returns where the owner of a job gets mail: what the job's --mail-user says where that is of the site's
// domains, else the user's name at the site's domain; "" where there is none. A user cannot have strangers mailed.
func (r *Rules) address(j *slurm.Job) string {
	if r.MailDomain == "" {
		return ""
	}
	if name, domain, ok := strings.Cut(j.MailUser, "@"); ok && mailName.MatchString(name) && (strings.EqualFold(domain, r.MailDomain) || slices.Contains(r.OtherMailDomains, strings.ToLower(domain))) {
		return checkedAddress(j.MailUser)
	}
	if j.MailUser != "" && !strings.Contains(j.MailUser, "@") && mailName.MatchString(j.MailUser) {
		return checkedAddress(j.MailUser + "@" + r.MailDomain)
	}
	return checkedAddress(j.User + "@" + r.MailDomain)
}

// IsMailAddress reports whether an address is a plain one, which is written to.
func IsMailAddress(s string) bool { return checkedAddress(s) != "" }

func checkedAddress(s string) string {
	if len(s) > longestAddress || !mailAddress.MatchString(s) {
		return ""
	}
	return s
}

// mostListed is how many jobs a message lists; of more it says how many.
const mostListed = 20

// complete puts the message into words.
func (r *Rules) complete(m Message, at time.Time) Message {
	m.Cluster = r.Cluster
	slices.SortFunc(m.Jobs, func(a, b Entry) int { return cmp.Or(-cmp.Compare(a.Step, b.Step), cmp.Compare(a.Job, b.Job)) })
	m.Subject = subject(m.Jobs)
	var b strings.Builder
	fmt.Fprintf(&b, "Hello %s,\n\nGPUs that you hold on cluster %s are idle: less than 1 %% busy in every reading.\n\n", printable.Text(m.User), printable.Text(r.Cluster))
	for i := range m.Jobs[:min(len(m.Jobs), mostListed)] {
		e := &m.Jobs[i]
		fmt.Fprintf(&b, "  job %s (%s), partition %s: %d of %s, since %s UTC (%s)\n", e.Label, e.Name, e.Partition, e.IdleGPUs,
			policy.FormatCount(e.MeasuredGPUs, "measured GPU"), e.IdleSince.Format("2006-01-02 15:04"), policy.FormatDuration(at.Sub(e.IdleSince).Truncate(time.Minute)))
	}
	if n := len(m.Jobs) - mostListed; n > 0 {
		fmt.Fprintf(&b, "  and %s\n", policy.FormatCount(n, "job")+" more")
	}
	first := m.Jobs[0].Label
	fmt.Fprintf(&b, "\nIs it done, or stuck? Then end it, so that others can use the GPUs: scancel %s\nWhat was measured: fairbridge job %s\n\n", first, first)
	fmt.Fprintf(&b, "Nothing was done to your jobs: this only tells you. Once for each job you are told\nafter %s.\n", formatSteps(r.Steps))
	fmt.Fprintf(&b, "To hear nothing of a job: sbatch --comment=fairbridge:quiet, or of one that runs\nscontrol update jobid=%s comment=fairbridge:quiet\n", first)
	m.Text = b.String()
	return m
}

func subject(jobs []Entry) string {
	gpus := 0
	for i := range jobs {
		gpus += jobs[i].IdleGPUs
	}
	if len(jobs) == 1 {
		return fmt.Sprintf("job %s: %s idle for %s", jobs[0].Label, policy.FormatCount(gpus, "GPU"), policy.FormatDuration(jobs[0].Step))
	}
	return fmt.Sprintf("%d jobs: %s idle", len(jobs), policy.FormatCount(gpus, "GPU"))
}

func formatSteps(steps []time.Duration) string {
	texts := make([]string, len(steps))
	for i, s := range steps {
		texts[i] = policy.FormatDuration(s)
	}
	return strings.Join(texts, ", ") + " of idleness"
}
