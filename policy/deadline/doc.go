// Package deadline says whose deadlines a policy sees. A deadline is a user's word, which costs
// nothing to say: it counts only for jobs within their account's share of the GPUs, and beyond that
// only as far as an administrator granted the account or the QOS a budget. For a policy any
// other job has no deadline, and its reason says so. Every policy that goes by deadlines
// embeds Rule and decides through it.
package deadline
