package api

import "fairbridge/accounting/studies"

// Study is what policies would have done with the jobs that a partition ran in a stretch of time.
type Study = studies.Study

// StudyLine is one policy of a study.
type StudyLine = studies.Line

// Studies is what is stored of what policies would have done, by partition as configured.
type Studies struct {
	Partitions []PartitionStudy `json:"partitions"`
}

// PartitionStudy is the newest study of a partition.
type PartitionStudy struct {
	Partition string `json:"partition"`
	Study     *Study `json:"study,omitempty"` // nil: none is stored
	// Age is for how long the study has been stored, in seconds; Stale: the cluster and its jobs may have changed much since.
	Age   float64 `json:"age_s,omitempty"`
	Stale bool    `json:"stale,omitempty"`
	// Command is what an administrator types to have one made, or made anew.
	Command string `json:"command"`
}
