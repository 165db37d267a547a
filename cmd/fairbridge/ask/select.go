package ask

import (
	"fmt"
	"strings"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
)

// splitList reads a comma list as squeue takes it; blanks and empty parts are left out.
func splitList(text string) (list []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// splitJobs reads a comma list of jobs, whose tasks may have commas of their own: 47_[1,3],50.
func splitJobs(text string) (list []string) {
	depth, from := 0, 0
	for i, r := range text + "," {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == ',' && (depth <= 0 || i == len(text)):
			if part := strings.TrimSpace(text[from:i]); part != "" {
				list = append(list, part)
			}
			from = i + 1
		}
	}
	return list
}

// splitNodes reads a hostlist such as n[1-3,7].
func splitNodes(text string) ([]string, error) {
	names, err := slurm.ExpandHosts(text)
	if err != nil {
		return nil, fmt.Errorf("--nodelist %s: %w", printable.Truncate(text, 60), err)
	}
	return names, nil
}

// slurmStates are squeue's short names of states.
var slurmStates = map[string]string{
	"PD": "PENDING", "R": "RUNNING", "S": "SUSPENDED", "CG": "COMPLETING", "CF": "CONFIGURING", "RQ": "REQUEUED", "SO": "STAGE_OUT", "ST": "STOPPED",
}

// splitStates reads a comma list of states as squeue takes them: PD or pending. "all" is all.
func splitStates(text string) (list []string) {
	for _, name := range splitList(text) {
		name = strings.ToUpper(name)
		if name == "ALL" {
			return nil
		}
		if long := slurmStates[name]; long != "" {
			name = long
		}
		list = append(list, name)
	}
	return list
}
