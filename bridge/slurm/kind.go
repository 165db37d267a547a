package slurm

// Kind is one thing that can be done to a job in Slurm. Each edit does exactly
// one thing, because Slurm applies the fields of an update one after another
// and may stop half-way.
type Kind string

// The kinds of edit.
const (
	SiteFactor Kind = "site_factor" // additive to multifactor; Value is the offset, 0 neutral
	Nice       Kind = "nice"        // Value is the whole nice
	Priority   Kind = "priority"    // direct priority, Value in [MinPriority, MaxPriority]
	Lease      Kind = "lease"       // begin_time = Until: a hold that expires by itself
	Unlease    Kind = "unlease"     // begin_time = Until (now, or the user's own begin)
	Require    Kind = "require"     // required nodes = Nodes; none: clear
	Exclude    Kind = "exclude"     // excluded nodes = Nodes; none: clear
	Requeue    Kind = "requeue"     // always Incomplete, by SLUID where there is one
	Warn       Kind = "warn"        // Signal to the batch script: a requeue may follow, Grace() later; Value is that in seconds
	HardHold   Kind = "hold"        // priority 0; only with explicit configuration
	HandBack   Kind = "hand_back"   // give a direct priority back to multifactor: hold, then release; Value is the nice to restore, which Priority wiped, 0 none
	SetGPUs    Kind = "gpus"        // GPU count of a pending elastic job; Value
)

// Field is a field of a job. Several kinds of edit may write one.
type Field string

// The fields.
const (
	FieldBegin    Field = "begin_time"
	FieldPriority Field = "priority"
	FieldSite     Field = "site_factor"
	FieldNice     Field = "nice"
	FieldRequired Field = "required_nodes"
	FieldExcluded Field = "excluded_nodes"
	FieldGPUs     Field = "gpus"
	FieldRun      Field = "run"    // what a requeue changes
	FieldWarned   Field = "warned" // nothing that Slurm shows: the script had a signal
)

// MinPriority and MaxPriority bound direct priorities, far from Slurm's
// reserved values (0 hold, 0xfffffffe no change, 0xffffffff release).
const (
	MinPriority int64 = 1_000
	MaxPriority int64 = 4_000_000_000
)

// maxOffset bounds site factors and nice values, within what Slurm can add up.
const maxOffset int64 = 2_000_000_000

// Encoding is how what an edit carries is written in an update.
type Encoding int

// The encodings.
const (
	OwnCall   Encoding = iota // not an update of one field: a call of its own
	AsInteger                 // Value
	AsNumber                  // Value with the sign that it is set; plain: as it is
	AsOffset                  // Value on top of the site factor that does nothing
	AsTime                    // Until in seconds, with the sign that it is set; plain: "uts" and the seconds
	AsNodes                   // Nodes as a list; plain: joined by commas
	AsHold                    // true, where hard holds are allowed
)

// Form is what a kind of edit looks like, in the program and on the wire.
type Form struct {
	Kind  Kind
	Field Field

	// What the edit carries besides its run. It has all of these, and no other;
	// Value and Nodes may be zero.
	SetsValue    bool // Value, which the field becomes
	CarriesValue bool // Value, which is not what the field becomes
	HasUntil     bool
	HasNodes     bool
	HasArray     bool // may be left out
	HasSignal    bool

	ValueName          string // Value in words; "": it has no bounds
	MinValue, MaxValue int64  // bounds of Value, inside Slurm's own
	FutureOnly         bool   // Until lies ahead, no further than the longest lease; else any time, of which the past means now
	WhileRunning       bool   // the field can be written while the job runs

	RESTName  string // of the field in REST; "": none, a call of its own
	PlainName string // likewise in the plain form, v0.0.38; "": the same
	Encoding  Encoding
}

// Forms are the forms of all kinds of edit.
var Forms = []Form{
	{Kind: SiteFactor, Field: FieldSite, SetsValue: true, ValueName: "site factor", MinValue: -maxOffset, MaxValue: maxOffset, WhileRunning: true, RESTName: "site_factor", Encoding: AsOffset},
	{Kind: Nice, Field: FieldNice, SetsValue: true, ValueName: "nice", MinValue: -maxOffset, MaxValue: maxOffset, WhileRunning: true, RESTName: "nice", Encoding: AsInteger},
	{Kind: Priority, Field: FieldPriority, SetsValue: true, ValueName: "priority", MinValue: MinPriority, MaxValue: MaxPriority, RESTName: "priority", Encoding: AsNumber},
	{Kind: Lease, Field: FieldBegin, HasUntil: true, FutureOnly: true, RESTName: "begin_time", Encoding: AsTime},
	{Kind: Unlease, Field: FieldBegin, HasUntil: true, RESTName: "begin_time", Encoding: AsTime},
	{Kind: Require, Field: FieldRequired, HasNodes: true, RESTName: "required_nodes", PlainName: "nodelist", Encoding: AsNodes},
	{Kind: Exclude, Field: FieldExcluded, HasNodes: true, RESTName: "excluded_nodes", PlainName: "exclude_nodes", Encoding: AsNodes},
	{Kind: Requeue, Field: FieldRun, HasArray: true, WhileRunning: true},
	{Kind: Warn, Field: FieldWarned, CarriesValue: true, HasArray: true, HasSignal: true, WhileRunning: true},
	{Kind: HardHold, Field: FieldPriority, RESTName: "hold", Encoding: AsHold},
	{Kind: HandBack, Field: FieldPriority, CarriesValue: true, ValueName: "nice", MinValue: -maxOffset, MaxValue: maxOffset},
	{Kind: SetGPUs, Field: FieldGPUs, SetsValue: true, ValueName: "number of GPUs", MinValue: 1, MaxValue: 1 << 16},
}

var formOf = func() map[Kind]*Form {
	m := make(map[Kind]*Form, len(Forms))
	for i := range Forms {
		m[Forms[i].Kind] = &Forms[i]
	}
	return m
}()

// Form returns what edits of the kind look like; ok is false for an unknown kind.
func (k Kind) Form() (f Form, ok bool) {
	if p, ok := formOf[k]; ok {
		return *p, true
	}
	return Form{}, false
}

// Field returns the field that edits of the kind write.
func (k Kind) Field() Field {
	if f, ok := formOf[k]; ok {
		return f.Field
	}
	return FieldRun
}

// JobField is one field of one job.
type JobField struct {
	Job   int64
	Field Field
}

// WrittenField returns the field of the job that the edit writes.
func (e *Edit) WrittenField() JobField { return JobField{e.Run.Job, e.Kind.Field()} }
