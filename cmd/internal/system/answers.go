package system

import (
	"time"

	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/api/answers"
	"fairbridge/cmd/internal/version"
)

// NewAnswers returns what answers the API's questions from a record and this system's Slurm. What
// is private is asked for each answer. The record of a daemon's answers is OpenAnswersDB, not the loop's.
func (s *System) NewAnswers(record *stores.Stores, private func() api.Privacy) *answers.Service {
	return answers.New(answers.Config{
		Cluster: s.File.Cluster, Version: version.ReadInfo().Version, Partitions: s.Loop.Partitions, MaxCycleAge: s.File.MaxCycleAge(),
	}, answers.Parts{Record: record, Slurm: s.Cluster, Privacy: private, Now: time.Now})
}
