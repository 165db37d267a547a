// Package privacy says which rows one viewer may see, and hides in sentences that policies,
// the gate and the loop wrote what of others they name: jobs, users and accounts. It is pure.
package privacy
