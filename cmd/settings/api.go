package settings

// API says how users and operators ask the daemon, see package api.
type API struct {
	// Socket is a unix socket on the daemon's host, where the kernel says who asks. "": api.sock
	// in the folder that systemd made for the unit (RuntimeDirectory), if it did; "off": none.
	Socket string `yaml:"socket"`
	// Listen is host:port, for login nodes and browsers, over TLS only; "": nowhere.
	Listen   string `yaml:"listen"`
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
	// URL is how others reach Listen, in links that are handed out; "": https:// and Listen.
	URL string `yaml:"url"`
	// Unmunge is the command that tells from a munge credential whose it is; empty: none is accepted.
	Unmunge []string `yaml:"unmunge"`
	// ProxyHeader names who asks where a reverse proxy shows the secret in ProxySecretFile; "":
	// none is trusted.
	ProxyHeader     string `yaml:"proxy_header"`
	ProxySecretFile string `yaml:"proxy_secret_file"`
	// Operators are users, and @groups of the host, that are operators here beside those that
	// are in Slurm.
	Operators []string `yaml:"operators"`
	// Private is what only its owner sees: jobs, usage, nodes, or none; empty: as PrivateData of slurm.conf
	// and slurmdbd.conf say, and all of it while that of slurm.conf is not known.
	Private []string `yaml:"private"`
	// Rate is how many requests a second one user may send, Burst how many at once.
	Rate  float64 `yaml:"rate"`
	Burst int     `yaml:"burst"`
}

func newDefaultAPI() API {
	return API{Unmunge: []string{"unmunge"}, Rate: 10, Burst: 30}
}
