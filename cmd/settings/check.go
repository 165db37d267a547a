package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/safefile"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
)

// findProblems checks the values of a file that could be read.
func (f *File) findProblems() []error {
	var all []error
	note := func(err error) {
		if err != nil {
			all = append(all, f.newProblemAt("", err))
		}
	}
	if f.Cluster == "" {
		note(errors.New("cluster: not given; it is the ClusterName of slurm.conf"))
	}
	for _, err := range f.checkValues() {
		note(err)
	}
	if f.Slurm.KeyFile != "" && f.Slurm.User == "" {
		note(errors.New("slurm.user: not given; with slurm.key_file it is the Slurm operator to sign for"))
	}
	if (f.Probes.CertFile == "") != (f.Probes.KeyFile == "") {
		note(errors.New("probes.cert_file and probes.key_file: give both or none"))
	}
	for i, p := range f.Partitions {
		if p.StopIdleAfter > 0 && f.Probes.URL == "" {
			note(fmt.Errorf("partitions[%d].stop_idle_after: probes.url is not given: without node probes no GPU is known to do no work", i))
		}
		for _, err := range p.findProblems() {
			all = append(all, f.newProblemAt(fmt.Sprintf("partitions[%d]", i), err))
		}
	}
	all = append(all, f.newProblemsAt("", f.findGPUProblems())...)
	c := f.newLoopConfig()
	all = append(all, f.newProblemsAt("gate", flattenErrors(c.Budgets.Validate()))...)
	all = append(all, f.newProblemsAt("guard", flattenErrors(f.Guard.Validate()))...)
	all = append(all, f.newProblemsAt("api", f.API.findProblems())...)
	all = append(all, f.newProblemsAt("retention", f.Keep.findProblems(f.Database.HalfLife))...)
	all = append(all, f.newProblemsAt("reminders", f.Reminders.findProblems(f.Probes.URL != ""))...)
	idleMin := c.Budgets.IdleMin
	c.Budgets = bridge.DefaultBudgets() // its problems are told already
	c.Budgets.IdleMin = idleMin
	for _, err := range flattenErrors(c.Validate()) {
		note(err)
	}
	return all
}

// findGPUProblems checks what the site says of its GPU types.
func (f *File) findGPUProblems() (all []error) {
	for _, s := range f.newSpeeds() {
		if s.Speed == 0 {
			all = append(all, fmt.Errorf("gpus.speed.%s: 0 is not above 0: leave the type out, or say how fast it is", s.Type))
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(f.GPUs.BillingWeight)) {
		if err := checkBetween("gpus.billing_weight."+typ, f.GPUs.BillingWeight[typ], 0, policy.MaxBillingWeight); err != nil {
			all = append(all, fmt.Errorf("%w GPU-hours charged for an hour", err))
		}
	}
	return all
}

func (f *File) newProblemsAt(prefix string, errs []error) (all []error) {
	for _, err := range errs {
		all = append(all, f.newProblemAt(prefix, err))
	}
	return all
}

// checkValues checks one value after the other; nil where it is possible.
func (f *File) checkValues() []error {
	return []error{
		checkURL(f.Slurm.URL),
		checkListenAddress(f.Listen),
		checkProbesURL(f.Probes.URL, f.Probes.TokenFile),
		checkCommand("slurm.scontrol", f.Slurm.Scontrol),
		checkScancel(f.Slurm.Scancel),
		checkBetween("warmup", f.Warmup, 0, 1000),
		checkBetween("slurm.timeout", f.Slurm.Timeout, time.Second, 10*time.Minute),
		checkBetween("slurm.token_life", f.Slurm.TokenLife, 0, maxRetention),
		checkBetween("slurm.max_reply_mb", f.Slurm.MaxReplyMB, 1, 64<<10),
		checkBetween("slurm.refresh", f.Slurm.Refresh, 0, time.Hour),
		checkBetween("slurm.rate", f.Slurm.Rate, 0.1, 1000),
		checkBetween("slurm.accounting", f.Slurm.Accounting, 0, 24*time.Hour),
		checkBetween("database.half_life", f.Database.HalfLife, time.Hour, 365*24*time.Hour),
		checkBetween("database.keep_snapshots", f.Database.KeepSnapshots, 0, maxRetention),
		checkBetween("database.keep_samples", f.Database.KeepSamples, 0, maxRetention),
		checkBetween("probes.max_age", f.Probes.MaxAge, time.Second, time.Hour),
		checkBetween("probes.spool_mb", f.Probes.SpoolMB, 1, 1<<20),
		checkBetween("probes.timeout", f.Probes.Timeout, 100*time.Millisecond, time.Minute),
		checkOneOf("log.level", f.Log.Level, "debug", "info", "warn", "error"),
		checkOneOf("log.format", f.Log.Format, "text", "json"),
	}
}

func (p *Partition) findProblems() []error {
	var all []error
	note := func(err error) {
		if err != nil {
			all = append(all, err)
		}
	}
	if p.Name == "" || strings.ContainsAny(p.Name, ", \t") {
		note(fmt.Errorf("name: %q is not a partition's name", p.Name))
	}
	if p.Mode != "" {
		note(checkOneOf("mode", p.Mode, bridge.Modes...))
	}
	if p.PlanAs != "" {
		note(checkOneOf("plan_as", p.PlanAs, bridge.Modes[2:]...))
	}
	note(checkBetween("grace", p.Grace, 0, time.Hour))
	note(checkBetween("stop_idle_after", p.StopIdleAfter, 0, 30*24*time.Hour))
	all = append(all, p.findServiceProblems()...)
	if p.Signal != "" {
		if _, err := slurm.ParseSignal(p.Signal); err != nil {
			note(fmt.Errorf("signal: %w", err))
		}
	}
	entry, err := catalogue.FindSystem(p.policyName())
	if err != nil {
		note(fmt.Errorf("policy: %w", err))
		return all
	}
	note(checkMayAct(&entry, p.Mode))
	_, err = entry.New(p.Params)
	for _, e := range flattenErrors(err) {
		note(fmt.Errorf("params: %w", e))
	}
	return append(all, p.findCanaryProblems()...)
}

// checkMayAct refuses a mode that acts for a policy that is for observing.
func checkMayAct(entry *paper.System, mode bridge.Mode) error {
	if entry.ObserveOnly == "" || mode == "" || mode == bridge.ModeOff || mode == bridge.ModeObserve {
		return nil
	}
	return fmt.Errorf("mode: policy %s may only observe: %s; set mode: observe", entry.Name, entry.ObserveOnly)
}

// newNotice is for values that problems has checked.
func (p *Partition) newNotice() bridge.Notice {
	s, _ := slurm.ParseSignal(p.Signal)
	return bridge.Notice{Grace: p.Grace, Signal: s}
}

func (p *Partition) policyName() string { return cmp.Or(p.Policy, "fairbridge") }

// newSpeeds returns what the site says of its GPUs, sorted by type.
func (f *File) newSpeeds() []policy.Speed {
	var out []policy.Speed
	for _, typ := range slices.Sorted(maps.Keys(f.GPUs.Speed)) {
		out = append(out, policy.Speed{Type: typ, Speed: f.GPUs.Speed[typ]})
	}
	return out
}

// Client says how the daemon is asked from afar: client.yaml.
type Client struct {
	// URL is https://HOST:PORT, or unix:///PATH on the daemon's host; "": it is said elsewhere.
	URL string `yaml:"url"`
	// CAFile has the certificates that the daemon's is signed by; "": those of the system.
	CAFile string `yaml:"ca_file"`
	// Munge is the command that makes a munge credential, by which the daemon knows who asks.
	Munge   []string      `yaml:"munge"`
	Timeout time.Duration `yaml:"timeout"` // of one question
}

// NewDefaultClient returns what holds where no client.yaml says otherwise.
func NewDefaultClient() *Client {
	return &Client{Munge: []string{"munge"}, Timeout: 30 * time.Second}
}

// LoadClient reads and checks a client.yaml. One that others may change is refused: it names
// a program to run, and whom to believe. The error joins every problem found, each a Problem.
func LoadClient(path string) (*Client, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading where to ask: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileSize {
		return nil, fmt.Errorf("reading where to ask: %s is no configuration: it is no file, or too large", path)
	}
	if err := safefile.Check(path); err != nil {
		return nil, fmt.Errorf("it names a program to run and whom to believe, so that nobody else may write it: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading where to ask: %w", err)
	}
	return ParseClient(path, text)
}

// ParseClient reads and checks the text of a client.yaml. name stands for it in messages.
func ParseClient(name string, text []byte) (*Client, error) {
	c := NewDefaultClient()
	d, documents, err := decode(name, text, c)
	if err != nil {
		return nil, err
	}
	f := &File{positionByPath: d.positionByPath, path: name} // for its places
	if err := errors.Join(sortByPosition(f.newProblemsAt("", c.findProblems(documents)))...); err != nil {
		return nil, err
	}
	return c, nil
}

// findProblems says what makes no sense, each by its key first.
func (c *Client) findProblems(documents int) (all []error) {
	if documents > 1 {
		all = append(all, errors.New("url: the file holds more than one document"))
	}
	if c.CAFile != "" && !strings.HasPrefix(c.CAFile, "/") {
		all = append(all, errors.New("ca_file: want an absolute path"))
	}
	if len(c.Munge) == 0 || c.Munge[0] == "" {
		all = append(all, errors.New("munge: want a command, such as [munge]"))
	}
	if c.Timeout < time.Second || c.Timeout > 10*time.Minute {
		all = append(all, errors.New("timeout: want 1s to 10m"))
	}
	return all
}
