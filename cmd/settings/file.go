package settings

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/harm"
	"fairbridge/bridge/slurm/safefile"
)

// File is the configuration file.
type File struct {
	Cluster    string      `yaml:"cluster"`
	Slurm      Slurm       `yaml:"slurm"`
	Database   Database    `yaml:"database"`
	Keep       Retention   `yaml:"retention"`
	Probes     Probes      `yaml:"probes"`
	Partitions []Partition `yaml:"partitions"`
	// Accounts maps a Slurm account to its shares; others have one.
	Accounts map[string]float64 `yaml:"accounts"`
	GPUs     GPUs               `yaml:"gpus"`

	Interval  time.Duration  `yaml:"interval"`
	Deadline  time.Duration  `yaml:"deadline"`
	Warmup    int            `yaml:"warmup"`
	Order     bridge.Order   `yaml:"order"`
	Lease     bridge.Lease   `yaml:"lease"`
	Pin       bool           `yaml:"pin"`
	Preempt   bridge.OptIn   `yaml:"preempt"`
	Gate      bridge.Budgets `yaml:"gate"`
	Guard     harm.Bounds    `yaml:"guard"`
	Leader    Leader         `yaml:"leader"`
	StopFile  string         `yaml:"stop_file"`
	Journal   string         `yaml:"journal"`
	Listen    string         `yaml:"listen"`
	API       API            `yaml:"api"`
	Reminders Reminders      `yaml:"reminders"`
	Log       Log            `yaml:"log"`

	positionByPath positionsByPath
	path           string
}

// Slurm says how slurmrestd is reached.
type Slurm struct {
	URL        string        `yaml:"url"`
	SocketUser string        `yaml:"socket_user"`
	TokenFile  string        `yaml:"token_file"`
	TokenEnv   string        `yaml:"token_env"`
	TokenLife  time.Duration `yaml:"token_life"`
	KeyFile    string        `yaml:"key_file"`
	User       string        `yaml:"user"`
	SlurmUser  string        `yaml:"slurm_user"`
	CAFile     string        `yaml:"ca_file"`
	API        string        `yaml:"api"`
	Timeout    time.Duration `yaml:"timeout"`
	MaxReplyMB int           `yaml:"max_reply_mb"`
	Refresh    time.Duration `yaml:"refresh"`
	Scontrol   []string      `yaml:"scontrol"`
	Scancel    []string      `yaml:"scancel"`
	Rate       float64       `yaml:"rate"`
	// Accounting is how often slurmdbd is read; 0: never.
	Accounting time.Duration `yaml:"accounting"`
}

// Database says where Postgres is.
type Database struct {
	DSNFile       string        `yaml:"dsn_file"`
	DSNEnv        string        `yaml:"dsn_env"`
	HalfLife      time.Duration `yaml:"half_life"`
	KeepSnapshots time.Duration `yaml:"keep_snapshots"`
	KeepSamples   time.Duration `yaml:"keep_samples"`
}

// Probes says where the node probes are.
type Probes struct {
	URL     string        `yaml:"url"`
	Timeout time.Duration `yaml:"timeout"`
	MaxAge  time.Duration `yaml:"max_age"`

	TokenFile string `yaml:"token_file"`
	CAFile    string `yaml:"ca_file"`
	CertFile  string `yaml:"cert_file"`
	KeyFile   string `yaml:"key_file"`

	BelieveProgress bool   `yaml:"believe_progress"`
	Spool           string `yaml:"spool"`
	SpoolMB         int    `yaml:"spool_mb"`
}

// Partition is one partition under one policy.
type Partition struct {
	Name   string         `yaml:"name"`
	Mode   bridge.Mode    `yaml:"mode"`
	PlanAs bridge.Mode    `yaml:"plan_as"`
	Policy string         `yaml:"policy"`
	Params map[string]any `yaml:"params"`
	// Grace is the time between the warning and the requeue of jobs whose owners
	// say nothing of it; 0: no warning. Signal is what they are warned by.
	Grace  time.Duration `yaml:"grace"`
	Signal string        `yaml:"signal"`
	// ShareBetweenUsers lets jobs of different users share a GPU where both owners said so, in mode share.
	ShareBetweenUsers bool `yaml:"share_between_users"`
	// StopIdleAfter is how long all GPUs of a job did no work before it is requeued for one that waits, where its
	// owner said fairbridge:idle=requeue; 0: none is.
	StopIdleAfter time.Duration `yaml:"stop_idle_after"`
	// DeadlineBudget grants accounts, and QOS as "qos:NAME", so many GPU-hours a week beyond their accounts' shares
	// for jobs with a deadline.
	DeadlineBudget map[string]float64 `yaml:"deadline_budget"`
	// Services may be declared by jobs of their accounts.
	Services []Service `yaml:"services"`
	// Canary decides on some days in place of Policy.
	Canary Canary `yaml:"canary"`
}

// GPUs says what the site knows of its GPUs.
type GPUs struct {
	// Speed maps a type, as Slurm calls it, to how fast it trains; only ratios
	// matter. Other types: policy.DataSheetSpeed.
	Speed map[string]float64 `yaml:"speed"`
	// BillingWeight maps a type to the GPU-hours that an hour of a whole GPU of it is charged, 0 to
	// policy.MaxBillingWeight; other types: 1.
	BillingWeight map[string]float64 `yaml:"billing_weight"`
}

// Leader says how long leadership lasts without renewal.
type Leader struct {
	TTL time.Duration `yaml:"ttl"`
}

// Log says what is logged and how.
type Log struct {
	Level  string `yaml:"level"`
	Format string `yaml:"format"`
}

// Path names the file as it was given; "": it was not read from one.
func (f *File) Path() string { return f.path }

// NewDefaultFile returns what holds where the file says nothing.
func NewDefaultFile() *File {
	d := bridge.DefaultConfig()
	return &File{
		Slurm: Slurm{
			URL: "unix:///run/slurmrestd-fairbridge/rest.sock", SlurmUser: "slurm",
			TokenLife: 366 * 24 * time.Hour, Timeout: 30 * time.Second,
			MaxReplyMB: 1024, Refresh: 5 * time.Minute, Scontrol: []string{"scontrol"}, Rate: d.Budgets.EditRate,
			Accounting: 10 * time.Minute,
		},
		Database: Database{
			DSNEnv: "FAIRBRIDGE_DATABASE", HalfLife: 7 * 24 * time.Hour,
			KeepSnapshots: 7 * 24 * time.Hour, KeepSamples: 14 * 24 * time.Hour,
		},
		Probes:   Probes{Timeout: 3 * time.Second, MaxAge: time.Minute, SpoolMB: 256},
		Interval: d.Interval, Warmup: d.WarmupPolls, Pin: d.PinsStartingJobs, Gate: d.Budgets, Guard: harm.DefaultBounds(),
		Order: d.Order, Lease: d.Lease, Preempt: d.PreemptOptIn, StopFile: d.StopFile,
		Journal: "/var/lib/fairbridge/journal", Listen: "localhost:9811", Keep: newDefaultRetention(), API: newDefaultAPI(), Reminders: newDefaultReminders(),
		Log: Log{Level: "info", Format: "text"},
	}
}

// DSN returns the connection string of the database, from its file or the
// environment. A file that others could write is refused, and so is one with a
// password that everybody may read.
func (f *File) DSN() (string, error) {
	if path := f.Database.DSNFile; path != "" {
		dsn, err := readDSNFile(path)
		if err != nil {
			return "", fmt.Errorf("reading database.dsn_file: %w", err)
		}
		return dsn, nil
	}
	if dsn := os.Getenv(f.Database.DSNEnv); dsn != "" {
		return dsn, nil
	}
	return "", fmt.Errorf("no database: set database.dsn_file, or put the connection string into the environment as %s", f.Database.DSNEnv)
}

// passwordPattern finds one in either form of a connection string.
var passwordPattern = regexp.MustCompile(`(?i)\bpassword\s*=|^\w+://[^/@]*:[^/@]+@`)

func readDSNFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if err := safefile.CheckIgnoringOwner(path); err != nil {
		return "", err
	}
	dsn := strings.TrimSpace(string(text))
	if passwordPattern.MatchString(dsn) {
		if err := safefile.CheckPrivate(path); err != nil {
			return "", fmt.Errorf("it holds a password, and %w", err)
		}
	}
	return dsn, nil
}
