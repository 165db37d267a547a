// Package users says who is who at a simulated cluster, and who may do what.
package users

// Operator is a user who may do everything an Operator of Slurm may.
const Operator = "slurm"

// List is the people of the configuration. A user that is not listed is an
// ordinary one.
type List []User

// User is a person.
type User struct {
	Name           string
	DefaultAccount string  // default account
	IsOperator     bool    // may change the jobs of others
	WritesComments bool    // and their admin_comment, as an Administrator may
	UsedGPUSeconds float64 // GPU-seconds used in the account before the start, decayed to it
}

// Find returns the user of a name; nil: not listed.
func (u List) Find(name string) *User {
	for i := range u {
		if u[i].Name == name {
			return &u[i]
		}
	}
	return nil
}

// IsRoot reports whether the user may do everything; "" is the cluster itself.
func (u List) IsRoot(by string) bool { return by == "" || by == Operator || by == "root" }

// IsOperator reports whether the user may change the jobs of others.
func (u List) IsOperator(by string) bool {
	x := u.Find(by)
	return u.IsRoot(by) || x != nil && x.IsOperator
}

// DefaultAccount returns the default account of a user.
func (u List) DefaultAccount(name string) string {
	account := "default"
	for i := range u {
		if u[i].Name == name && u[i].DefaultAccount != "" {
			account = u[i].DefaultAccount
		}
	}
	return account
}

// ID gives every name a number of its own, in order of configuration, then a
// stable one made from the name.
func (u List) ID(name string) int64 {
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

// MayChange reports whether the user may change a job of the owner.
func (u List) MayChange(by, owner string) bool { return by == owner || u.IsOperator(by) }
