package lastcycle

import (
	"strconv"
	"strings"

	"fairbridge/api"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// index finds rows by what they are about. Places are those in Rows.
type index struct {
	rowByJob                  map[policy.JobID]int
	rowByAddress              map[string]int
	rowsByUser, rowsByAccount map[string][]int
	rowsByNode                map[string][]int
	accountsByUser            map[string][]string
	accountNames              map[string]bool
	unsplitByArray            map[string][]int // by the number of the array: rows of waiting tasks
	inLine                    []bool           // of each row: its job waits, and nothing keeps it from its turn
}

func newIndex(rows []api.QueueJob, s *policy.Snapshot) index {
	x := index{
		rowByJob: make(map[policy.JobID]int, len(rows)), rowByAddress: make(map[string]int, len(rows)), rowsByUser: map[string][]int{}, rowsByAccount: map[string][]int{},
		rowsByNode: map[string][]int{}, accountsByUser: map[string][]string{}, accountNames: map[string]bool{}, unsplitByArray: map[string][]int{},
	}
	for i := range rows {
		r := &rows[i]
		x.rowByJob[r.JobID], x.rowByAddress[r.Address] = i, i
		x.rowsByUser[r.User] = append(x.rowsByUser[r.User], i)
		x.rowsByAccount[r.Account] = append(x.rowsByAccount[r.Account], i)
		x.addName(r.User, r.Account)
		if array, tasks, ok := strings.Cut(r.Address, "_["); ok && strings.HasSuffix(tasks, "]") {
			x.unsplitByArray[array] = append(x.unsplitByArray[array], i)
		}
		x.inLine = append(x.inLine, IsWaiting(r))
	}
	if s != nil {
		x.addSnapshot(s)
	}
	return x
}

// IsWaiting reports whether the job of a row waits.
func IsWaiting(r *api.QueueJob) bool { return strings.EqualFold(r.State, "PENDING") }

// addSnapshot adds what rows do not show.
func (x *index) addSnapshot(s *policy.Snapshot) {
	for i := range s.Jobs {
		row, known := x.rowByJob[s.Jobs[i].ID]
		if known && s.Jobs[i].HeldReason != "" {
			x.inLine[row] = false
		}
		for _, slot := range s.Jobs[i].On {
			if list := x.rowsByNode[slot.Node]; known && (len(list) == 0 || list[len(list)-1] != row) {
				x.rowsByNode[slot.Node] = append(list, row)
			}
		}
	}
	for i := range s.Users {
		x.addName(s.Users[i].Name, s.Users[i].Account)
	}
	for i := range s.Accounts {
		x.accountNames[s.Accounts[i].Name] = true
	}
}

func (x *index) addName(user, account string) {
	if account != "" {
		x.accountNames[account] = true
	}
	if user == "" {
		return
	}
	for _, a := range x.accountsByUser[user] {
		if a == account {
			return
		}
	}
	x.accountsByUser[user] = append(x.accountsByUser[user], account)
}

// Row returns the row of a job; nil: it is not in the cycle.
func (c *Cycle) Row(id policy.JobID) *api.QueueJob {
	if i, ok := c.rowByJob[id]; ok {
		return &c.Rows[i]
	}
	return nil
}

// RowsOfNode are the rows of the jobs that hold GPUs of a node.
func (c *Cycle) RowsOfNode(name string) (rows []*api.QueueJob) {
	for _, i := range c.rowsByNode[name] {
		rows = append(rows, &c.Rows[i])
	}
	return rows
}

// FindRow returns the row that an address means: that of the job, of the task, or of the array whose waiting
// tasks it stands for; nil: there is none.
func (c *Cycle) FindRow(address string) *api.QueueJob {
	if i, ok := c.rowByAddress[address]; ok {
		return &c.Rows[i]
	}
	array, task, isTask := strings.Cut(address, "_")
	if !isTask {
		id, err := strconv.ParseInt(address, 10, 64)
		if err != nil {
			return nil
		}
		return c.Row(policy.JobID(id))
	}
	number, err := strconv.Atoi(task)
	if err != nil {
		return nil
	}
	for _, i := range c.unsplitByArray[array] {
		_, tasks, _ := strings.Cut(c.Rows[i].Address, "_[")
		if slurm.ReadArrayTasks(strings.TrimSuffix(tasks, "]")).HasTask(number) {
			return &c.Rows[i]
		}
	}
	return nil
}

// Ahead returns the rows of jobs that wait and go before a job, first to last; nil: it does not wait, or is
// not in the cycle. One that is held or depends on another goes before nobody, whatever its rank.
func (c *Cycle) Ahead(id policy.JobID) (rows []*api.QueueJob) {
	at, ok := c.rowByJob[id]
	if !ok || !IsWaiting(&c.Rows[at]) {
		return nil
	}
	for i := range at {
		if c.inLine[i] {
			rows = append(rows, &c.Rows[i])
		}
	}
	return rows
}

// ChooseAccount returns the account of the user's newest job in a snapshot, else the one in which the
// user got most; "": the user is not known.
func ChooseAccount(s *policy.Snapshot, name string) string {
	var newest *policy.Job
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.User == name && (newest == nil || j.Arrive.After(newest.Arrive)) {
			newest = j
		}
	}
	if newest != nil {
		return newest.Account
	}
	var most policy.User
	for _, u := range s.Users {
		if u.Name == name && (most.Name == "" || u.UsedService > most.UsedService) {
			most = u
		}
	}
	return most.Account
}
