package writer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// buildGPUField returns the field for a total of count GPUs.
func buildGPUField(api rest.API, j *slurm.Job, count int64) (updateField, error) {
	if j.GresPerJob.Text != "" {
		typ, err := soleGPUType(j.GresPerJob)
		if err != nil {
			return updateField{}, err
		}
		if api.TakesPlainBodies {
			return updateField{"gpus", formatGPUCount(typ, count)}, nil
		}
		return updateField{"tres_per_job", "gres/gpu:" + formatGPUCount(typ, count)}, nil
	}
	typ, err := soleGPUType(j.GresPerNode)
	if err != nil {
		return updateField{}, err
	}
	nodes := int64(max(j.NodeCount, 1))
	if count%nodes != 0 {
		return updateField{}, fmt.Errorf("%d GPUs cannot be spread evenly over the %d nodes of job %s", count, nodes, j.Label())
	}
	if api.TakesPlainBodies {
		return updateField{"gres", "gpu:" + formatGPUCount(typ, count/nodes)}, nil
	}
	return updateField{"tres_per_node", "gres/gpu:" + formatGPUCount(typ, count/nodes)}, nil
}

// soleGPUType returns the type of GPU of a request that asks for GPUs of one kind
// and nothing else.
func soleGPUType(request slurm.GRESList) (string, error) {
	if request.UnreadReason != "" {
		return "", errors.New(request.UnreadReason)
	}
	if list := request.List; len(list) == 1 && list[0].Name == "gpu" && !strings.Contains(request.Text, ",") {
		return list[0].Type, nil
	}
	return "", fmt.Errorf("the request %q is not for GPUs alone, per job or per node", request.Text)
}

func formatGPUCount(typ string, count int64) string {
	if typ == "" {
		return strconv.FormatInt(count, 10)
	}
	return typ + ":" + strconv.FormatInt(count, 10)
}
