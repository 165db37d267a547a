package sim

// OperatorUser is a user who may do everything an Operator of Slurm may.
const OperatorUser = "slurm"

// users are the people of the configuration. A user that is not listed is an
// ordinary one.
type users []User

// User is a person.
type User struct {
	Name           string
	DefaultAccount string  // default account
	IsOperator     bool    // may change the jobs of others
	UsedGPUSeconds float64 // GPU-seconds used in the account before the start, decayed to it
}

// findUser returns the user of a name; nil: not listed.
func (u users) findUser(name string) *User {
	for i := range u {
		if u[i].Name == name {
			return &u[i]
		}
	}
	return nil
}

// isRoot reports whether the user may do everything; "" is the cluster itself.
func (u users) isRoot(by string) bool { return by == "" || by == OperatorUser || by == "root" }

// isOperator reports whether the user may change the jobs of others.
func (u users) isOperator(by string) bool {
	x := u.findUser(by)
	return u.isRoot(by) || x != nil && x.IsOperator
}

// mayChangeJob reports whether the user may change the job.
func (u users) mayChangeJob(by string, j *job) bool { return by == j.spec.User || u.isOperator(by) }

// defaultAccount returns the default account of a user.
func (u users) defaultAccount(name string) string {
	account := "default"
	for i := range u {
		if u[i].Name == name && u[i].DefaultAccount != "" {
			account = u[i].DefaultAccount
		}
	}
	return account
}

// userID gives every name a number of its own, in order of configuration, then a
// stable one made from the name.
func (u users) userID(name string) int64 {
	for i := range u {
		if u[i].Name == name {
			return 3001 + int64(i)
		}
	}
	h := uint32(2166136261)
	for _, c := range []byte(name) {
		h = (h ^ uint32(c)) * 16777619
	}
	return 10_000 + int64(h%1_000_000)
}
