package topcommand

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/internal/source"
	"fairbridge/policy"
)

// t0 is when the tests begin.
var t0 = time.Date(2026, 6, 1, 12, 0, 0, 0, time.Local)

// fakeSource answers from a day that was made up, until it has an error.
type fakeSource struct {
	source.Source
	mu    sync.Mutex
	err   error
	name  string // of all jobs, users and accounts but ann's
	wide  int    // jobs in the queue
	asked []string
}

func (f *fakeSource) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fakeSource) note(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, what)
	return f.err
}

func (f *fakeSource) Describe() string { return "a test" }
func (f *fakeSource) Close()           {}

func (f *fakeSource) Me(context.Context) (*api.Viewer, error) {
	return &api.Viewer{User: "ann"}, f.note("me")
}

func (f *fakeSource) Queue(_ context.Context, q api.QueueQuery) (*api.Queue, error) {
	a := &api.Queue{Partitions: []api.PartitionState{{Name: "gpu", AsOf: t0.Add(-5 * time.Second)}}, Total: f.wide}
	for i := range f.wide {
		j := api.QueueJob{Address: fmt.Sprint(4700 + i), QueueRow: journal.QueueRow{
			Partition: "gpu", Rank: i + 1, JobID: policy.JobID(4700 + i), Name: f.name, User: f.name, Account: "phys", GPUs: 8, State: "PENDING", Verb: "wait", Arrive: t0.Add(-time.Hour),
			Why: "waits as " + fmt.Sprint(i+1) + "th: 8 GPUs of a100 are not free on one node, and 3 jobs of account chem are ahead; its rank: it has used least",
		}}
		if i%3 == 1 {
			j.User, j.State, j.Verb = "ann", "RUNNING", "keep"
		}
		if len(q.Users) == 0 || j.User == q.Users[0] {
			a.Jobs = append(a.Jobs, j)
		}
	}
	return a, f.note("queue " + strings.Join(q.Users, ","))
}

func (f *fakeSource) Job(_ context.Context, address string) (*api.Job, error) {
	return &api.Job{Address: address, GPUs: 8, JobHistory: &journal.JobHistory{JobID: 7, Runs: []journal.JobRun{{Name: f.name, User: f.name, Account: "phys", Partition: "gpu", State: "PENDING"}}}}, f.note("explain " + address)
}

func (f *fakeSource) JobUse(_ context.Context, address string) (*report.JobUse, error) {
	u := &report.JobUse{Address: address}
	u.Runs = make([]report.RunUse, 1)
	u.Runs[0].Name, u.Runs[0].User = f.name, f.name
	return u, f.note("job " + address)
}

func (f *fakeSource) Nodes(context.Context, api.NodeQuery) (*api.Nodes, error) {
	return &api.Nodes{AsOf: t0, Nodes: []api.Node{
		{Name: "n1", Partitions: []string{"gpu"}, GPUs: []api.NodeGPUs{{Type: "a100", Count: 8, Allocated: 8}}, Jobs: []api.NodeJob{{Address: "4701", User: f.name, GPUs: 8}},
			Devices: []api.DeviceUse{{UUID: "GPU-1", Type: "a100", Busy: policy.KnownValue(.25)}}},
		{Name: "n2", Partitions: []string{"gpu"}, GPUs: []api.NodeGPUs{{Type: "h100", Count: 4}}, Down: f.name},
	}}, f.note("nodes")
}

func (f *fakeSource) Shares(context.Context) (*api.Shares, error) {
	return &api.Shares{AsOf: t0, Accounts: []api.AccountShare{{Name: "phys", Weight: 2, Entitled: .5, Words: "phys got less than its due, " + f.name}, {Name: f.name}},
		Users: []api.UserShare{{Name: f.name, Account: "phys"}}}, f.note("shares")
}

func (f *fakeSource) Changes(context.Context, api.ChangeQuery) (*api.Changes, error) {
	return &api.Changes{Changes: []api.Change{{Intent: bridge.Intent{ID: 42, Edit: slurm.Edit{Kind: slurm.EditNice, Run: slurm.Run{Job: 4701}, Value: 5, Tasks: 1, Why: "its turn is later, " + f.name}, State: bridge.IntentAcked, Made: t0}, Address: "4701", User: f.name}}}, f.note("changes")
}

func (f *fakeSource) Report(_ context.Context, name string, _ api.ReportQuery) (*api.Report, error) {
	r := &api.Report{}
	r.Rows = &report.Table{Columns: []string{"user", "idle_gpus"}, Rows: [][]any{{f.name, 2.5}}}
	return r, f.note("report " + name)
}

func newFakeSource() *fakeSource { return &fakeSource{name: "bob", wide: 5} }

// fakeEffects answers questions when the test says so, and time passes as it says.
type fakeEffects struct {
	*asker
	pending []tea.Cmd
}

func (f *fakeEffects) ask(s *subject) tea.Cmd {
	f.pending = append(f.pending, f.asker.ask(s))
	return nil
}

func (f *fakeEffects) tick() tea.Cmd { return nil }

// screen is a model with a clock that the test moves.
type screen struct {
	*model
	*fakeEffects
	now time.Time
}

func newScreen(f *fakeSource, view string) *screen {
	s := &screen{now: t0}
	s.fakeEffects = &fakeEffects{asker: &asker{ctx: context.Background(), source: f, now: func() time.Time { return s.now }}}
	s.model = newModel(s.fakeEffects, findView(view), t0)
	s.model.where = "a test"
	s.Init()
	s.answer()
	return s
}

// answer lets what was asked be answered.
func (s *screen) answer() {
	for len(s.pending) > 0 {
		next := s.pending[0]
		s.pending = s.pending[1:]
		s.Update(next())
	}
}

// pass lets time pass, a second a time; nothing is answered.
func (s *screen) pass(d time.Duration) {
	for range int(d / time.Second) {
		s.now = s.now.Add(time.Second)
		s.Update(clockMsg(s.now))
	}
}

// keys presses keys: words of keyByName, or characters.
func (s *screen) keys(line string) (last tea.Cmd) {
	for _, word := range strings.Fields(line) {
		if k, ok := keyByName[word]; ok {
			_, last = s.Update(tea.KeyPressMsg(k))
			continue
		}
		for _, r := range word {
			_, last = s.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return last
}

var keyByName = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "tab": {Code: tea.KeyTab},
	"backspace": {Code: tea.KeyBackspace}, "space": {Code: tea.KeySpace, Text: " "}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "pgdown": {Code: tea.KeyPgDown},
}
