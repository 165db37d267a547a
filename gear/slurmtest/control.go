package slurmtest

import (
	"slices"
)

// SetAuthState says what becomes of every token from now on, as when a token runs out or the key is changed.
func (s *Server) SetAuthState(a AuthState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slurmrestd.authenticator.authState = a
}

// SetAPIVersions changes the API versions that are served, as an upgrade of Slurm does.
func (s *Server) SetAPIVersions(versions ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slurmrestd.apiVersions = versions
}

// HideJobsOf leaves the jobs of some users out of every list, without a word, as
// PrivateData=jobs does to a caller who has lost his rights.
func (s *Server) HideJobsOf(users ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slurmrestd.hiddenUsers = map[string]bool{}
	for _, u := range users {
		s.slurmrestd.hiddenUsers[u] = true
	}
}

// InjectFault adds a fault. Of several that match, the earliest strikes.
func (s *Server) InjectFault(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// ClearFaults removes all faults.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// RunScontrol runs "scontrol args…" as a user and returns what it prints and its
// exit status. It knows requeue [Incomplete] LIST, hold LIST, release LIST, show
// config, show job N and update JobId=N [Priority=N] [Nice=N] [SiteFactor=N]
// [StartTime=now+N]; and in place of another program scancel [--batch
// --signal=NAME] LIST.
func (s *Server) RunScontrol(user string, args ...string) (output string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advanceWorld()
	return s.slurmrestd.newCommands(user).run(args)
}

// CallCounts returns how many reads and writes arrived.
func (s *Server) CallCounts() CallCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return countCalls(s.calls)
}

// Calls returns all requests since the start or the last ForgetCalls, oldest first.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// ForgetCalls forgets the requests so far.
func (s *Server) ForgetCalls() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = nil
}
