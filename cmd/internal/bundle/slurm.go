package bundle

import (
	"context"
	"strings"

	"fairbridge/bridge/slurm/scontrol"
)

// slurmSettings are the settings of slurm.conf that scheduling hangs on. They hold no names of people.
var slurmSettings = strings.Fields(`AccountingStorageEnforce AccountingStorageTRES AccountingStorageType AuthAltTypes AuthInfo AuthType
	EnforcePartLimits GresTypes InactiveLimit JobRequeue JobSubmitPlugins KillWait MaxArraySize MaxJobCount MessageTimeout MinJobAge
	PreemptMode PreemptType PreemptExemptTime PriorityCalcPeriod PriorityDecayHalfLife PriorityFavorSmall PriorityFlags PriorityMaxAge
	PriorityType PriorityUsageResetPeriod PriorityWeightAge PriorityWeightAssoc PriorityWeightFairShare PriorityWeightJobSize
	PriorityWeightPartition PriorityWeightQOS PriorityWeightTRES PrivateData SchedulerParameters SchedulerTimeSlice SchedulerType
	SelectType SelectTypeParameters SLURM_VERSION SlurmctldTimeout SlurmdTimeout TaskPlugin TCPTimeout TopologyPlugin TreeWidth`)

// readSlurmSettings asks scontrol for the settings above. Of what else slurm.conf holds nothing is kept.
func readSlurmSettings(ctx context.Context, command []string) (any, error) {
	all, err := scontrol.Command(command).ReadConfig(ctx)
	if err != nil {
		return nil, err
	}
	kept := map[string]any{}
	for _, name := range slurmSettings {
		if v, ok := all[name]; ok {
			kept[name] = v
		}
	}
	return kept, nil
}
