package settings

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/reminders"
)

// Reminders says whether and how owners are told of GPUs that are idle now, see package reminders.
type Reminders struct {
	// After are how long GPUs of a job are idle until its owner is told, ascending; empty: no owner is told.
	After   []time.Duration `yaml:"after"`
	MinGPUs int             `yaml:"min_gpus"`
	// PerOwner is how many messages an owner gets in 24 hours, InAll how many are sent in an hour.
	PerOwner         int           `yaml:"per_owner"`
	InAll            int           `yaml:"in_all"`
	InteractiveGrace time.Duration `yaml:"interactive_grace"`
	ExemptUsers      []string      `yaml:"exempt_users"`
	ExemptAccounts   []string      `yaml:"exempt_accounts"`
	ExemptPartitions []string      `yaml:"exempt_partitions"`

	MailServer       string   `yaml:"mail_server"` // host:port of SMTP; "": no mail
	MailTLS          string   `yaml:"mail_tls"`    // starttls, tls or none
	MailCAFile       string   `yaml:"mail_ca_file"`
	MailUser         string   `yaml:"mail_user"`
	MailPasswordFile string   `yaml:"mail_password_file"`
	MailFrom         string   `yaml:"mail_from"`
	MailDomain       string   `yaml:"mail_domain"`
	MailOtherDomains []string `yaml:"mail_other_domains"`

	WebhookURL        string `yaml:"webhook_url"` // "": none
	WebhookSecretFile string `yaml:"webhook_secret_file"`
	WebhookCAFile     string `yaml:"webhook_ca_file"`
}

func newDefaultReminders() Reminders {
	return Reminders{MinGPUs: 1, PerOwner: 4, InAll: 60, InteractiveGrace: 2 * time.Hour, MailTLS: "starttls"}
}

// IsOn reports whether owners are told.
func (r *Reminders) IsOn() bool { return len(r.After) > 0 }

// ReminderRules returns who is told when.
func (f *File) ReminderRules() reminders.Rules {
	r := &f.Reminders
	var others []string
	for _, d := range r.MailOtherDomains {
		others = append(others, strings.ToLower(d))
	}
	domain := r.MailDomain
	if r.MailServer == "" {
		domain = ""
	}
	return reminders.Rules{
		Cluster: f.Cluster, Steps: r.After, MinGPUs: r.MinGPUs, ExemptUsers: r.ExemptUsers, ExemptAccounts: r.ExemptAccounts, InteractiveGrace: r.InteractiveGrace,
		Partitions:       slices.DeleteFunc(f.PartitionNames(), func(p string) bool { return slices.Contains(r.ExemptPartitions, p) }),
		MessagesPerOwner: r.PerOwner, MessagesInAll: r.InAll, MailDomain: domain, OtherMailDomains: others,
	}
}

// Bounds of a step.
const (
	leastStep = reminders.LeastSpell
	mostStep  = 30 * 24 * time.Hour
	mostSteps = 8
)

// findProblems checks how owners are told; isMeasured says that probes are configured.
func (r *Reminders) findProblems(isMeasured bool) []error {
	all := []error{
		r.checkSteps(isMeasured), r.checkMail(), r.checkWebhook(),
		checkBetween("min_gpus", r.MinGPUs, 1, 10_000), checkBetween("per_owner", r.PerOwner, 1, 100), checkBetween("in_all", r.InAll, 1, 1000),
		checkBetween("interactive_grace", r.InteractiveGrace, 0, mostStep), checkOneOf("mail_tls", r.MailTLS, "starttls", "tls", "none"),
	}
	return slices.DeleteFunc(all, func(err error) bool { return err == nil })
}

func (r *Reminders) checkSteps(isMeasured bool) error {
	if !r.IsOn() {
		return nil
	}
	switch {
	case len(r.After) > mostSteps:
		return fmt.Errorf("after: %d steps are more than %d", len(r.After), mostSteps)
	case r.MailServer == "" && r.WebhookURL == "":
		return errors.New("after: give mail_server or webhook_url, else there is no way to tell owners")
	case !isMeasured:
		return errors.New("after: probes.url is not given: without node probes no GPU is known to be idle")
	}
	for i, step := range r.After {
		if err := checkBetween(fmt.Sprintf("after[%d]", i), step, leastStep, mostStep); err != nil {
			return err
		}
		if i > 0 && step <= r.After[i-1] {
			return fmt.Errorf("after: %v does not come after %v: write them in ascending order", step, r.After[i-1])
		}
	}
	return nil
}

// domainName is one that addresses are made with.
var domainName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

func (r *Reminders) checkMail() error {
	if r.MailServer == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(r.MailServer)
	switch {
	case err != nil || host == "" || port == "":
		return fmt.Errorf("mail_server: %q is not host:port, such as mail.example.org:587", r.MailServer)
	case !reminders.IsMailAddress(r.MailFrom):
		return fmt.Errorf("mail_from: %q is not a plain address such as fairbridge@example.org", r.MailFrom)
	case (r.MailUser == "") != (r.MailPasswordFile == ""):
		return errors.New("mail_user and mail_password_file: give both or none")
	case r.MailPasswordFile != "" && r.MailTLS == "none" && !isLoopback(host):
		return errors.New("mail_tls: none would send the password in the clear: use starttls or tls")
	}
	for _, d := range append([]string{r.MailDomain}, r.MailOtherDomains...) {
		if !domainName.MatchString(d) {
			return fmt.Errorf("mail_domain: %q is not a domain such as example.org; owners without an address of their own get mail there, as USER@example.org", d)
		}
	}
	return nil
}

func (r *Reminders) checkWebhook() error {
	if r.WebhookURL == "" {
		return nil
	}
	u, err := url.Parse(r.WebhookURL)
	switch {
	case err != nil || u.Host == "":
		return errors.New("webhook_url: not a URL such as https://chat.example.org/hooks/gpus") // it may hold a secret: it is not repeated
	case u.User != nil:
		return errors.New("webhook_url: holds a password; requests are signed by webhook_secret_file")
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())):
		return errors.New("webhook_url: use https; http is for this host only")
	case r.WebhookSecretFile == "":
		return errors.New("webhook_secret_file: not given; requests are signed by what it holds")
	}
	return nil
}
