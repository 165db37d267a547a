package api

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// Health says whether fairbridge works. It is public, and names no job, user or account.
type Health struct {
	Cluster string `json:"cluster"`
	Version string `json:"version"`
	// Status is ok; observing where no partition may be changed; doubt where something keeps
	// everything from being sent; stale where no cycle ended lately.
	Status     string           `json:"status"`
	Partitions []PartitionState `json:"partitions"` // without reasons
	Daemon     DaemonHealth     `json:"daemon"`
}

// DaemonHealth is what is public of the daemon.
type DaemonHealth struct {
	Leads      bool      `json:"leads"` // some daemon does
	DoubtSince time.Time `json:"doubt_since,omitzero"`
	Database   bool      `json:"database"` // could be asked
}

// Policies says what decides where, and in which mode.
type Policies struct {
	Partitions []PartitionPolicy `json:"partitions"`
	Daemon     DaemonState       `json:"daemon"`
}

// PartitionPolicy is what decides in a partition.
type PartitionPolicy struct {
	PartitionState
	ConfiguredMode bridge.Mode      `json:"configured_mode"`
	Demotion       *bridge.Demotion `json:"demotion,omitempty"` // what lowered the mode
	// Canary is the policy that decides on some days, with its parameters; "": none does.
	Canary string `json:"canary,omitempty"`
}

// NodeQuery says which nodes are wanted; an empty field matches every node.
type NodeQuery struct {
	Partitions []string
	Names      []string
	Limit      int    // as of QueueQuery
	After      string // as of QueueQuery
}

// Nodes is the map of nodes and their GPUs: what is given to jobs beside what is measured.
type Nodes struct {
	AsOf  time.Time `json:"as_of,omitzero"` // the last cycle
	Stale bool      `json:"stale"`
	Nodes []Node    `json:"nodes"` // by name
	Total int       `json:"total"`
	Next  string    `json:"next,omitempty"`
}

// Node is a node with GPUs.
type Node struct {
	Name       string      `json:"name"`
	Partitions []string    `json:"partitions"`
	Down       string      `json:"down,omitempty"` // why nothing new may start there; "": something may
	GPUs       []NodeGPUs  `json:"gpus"`           // by type
	Jobs       []NodeJob   `json:"jobs"`           // that hold GPUs there and may be seen
	HiddenJobs int         `json:"hidden_jobs,omitempty"`
	Devices    []DeviceUse `json:"devices,omitempty"` // as the node probe measured them last; none: not measured
}

// NodeGPUs are the GPUs of one type on a node.
type NodeGPUs struct {
	Type      string `json:"type"`
	Count     int    `json:"count"`
	Sick      int    `json:"sick,omitempty"` // measured as faulty, or lost
	Allocated int    `json:"allocated"`
}

// NodeJob is a job on a node.
type NodeJob struct {
	Address string `json:"address"`
	User    string `json:"user"`
	Account string `json:"account"`
	GPUs    int    `json:"gpus"`
}

// DeviceUse is one GPU as it was measured last.
type DeviceUse struct {
	UUID   string               `json:"uuid"`
	Type   string               `json:"type"`
	At     time.Time            `json:"at"`
	Busy   policy.OptionalValue `json:"busy"`   // part 0..1
	Memory policy.OptionalValue `json:"memory"` // part 0..1
	Watts  policy.OptionalValue `json:"watts"`
}

// Shares is what accounts are entitled to, hold, want and used.
type Shares struct {
	AsOf     time.Time      `json:"as_of,omitzero"`
	Stale    bool           `json:"stale"`
	HalfLife float64        `json:"half_life"` // seconds after which use counts half
	Accounts []AccountShare `json:"accounts"`  // by name
	Users    []UserShare    `json:"users"`     // by account and name, that may be seen
	Hidden   int            `json:"hidden,omitempty"`
}

// AccountShare is one account's, with that of all accounts below it. What is private of it is not there: not 0.
type AccountShare struct {
	Name         string  `json:"name"`
	Parent       string  `json:"parent,omitempty"`
	Weight       float64 `json:"weight"`   // shares among its siblings
	Entitled     float64 `json:"entitled"` // part 0..1 of the cluster, by weights along the tree
	*AccountUse          // nil: private
	*AccountJobs         // nil: private
	// Words says where the account stands, as a sentence.
	Words string `json:"words"`
}

// AccountUse is what an account used.
type AccountUse struct {
	UsedPart    float64           `json:"used_part"` // part 0..1 of all decayed service
	UsedService policy.GPUSeconds `json:"used"`      // decayed, as it is charged
	// HeldService is likewise decayed, of GPUs of any type alike; absent: as UsedService.
	HeldService   policy.GPUSeconds `json:"held,omitempty"`
	RecentService policy.GPUSeconds `json:"recent"` // of the last 24 hours
}

// AccountJobs is what the jobs of an account hold and want.
type AccountJobs struct {
	RunningGPUs int `json:"running_gpus"` // it holds now
	WaitingGPUs int `json:"waiting_gpus"` // its waiting jobs ask for
	WaitingJobs int `json:"waiting_jobs"`
}

// UserShare is one user's within an account.
type UserShare struct {
	Name        string            `json:"name"`
	Account     string            `json:"account"`
	UsedService policy.GPUSeconds `json:"used"` // decayed, as it is charged
	HeldService policy.GPUSeconds `json:"held,omitempty"`
	RunningGPUs int               `json:"running_gpus"`
	WaitingJobs int               `json:"waiting_jobs"`
}
