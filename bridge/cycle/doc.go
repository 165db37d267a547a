// Package cycle runs the loop. One cycle is, statement by statement (cycle.go):
//
//	takeLeadership       take or renew leadership: while another daemon leads, nothing is done
//	observeCluster       poll Slurm
//	learnAgain           in a simulation, know what the last cycle did (again.go), or else:
//	learnFacts           find out what is to be known:
//	  judgeView            read the ledger, ask about what lists leave out, believe the view or not
//	  readDemotions        ask which partitions, or candidates of canaries, are demoted, and what else operators did
//	  recordView           store what it shows of runs, and read usage and what policies remember
//	  settleIntents        close the intents whose outcome it shows
//	  addMeasurements      add what the node probes say
//	  finishHandBacks      release what a hand-back that was cut off left held
//	  hasExpiryTimer       ask whether node lists would be taken back if we died
//	  decideEditAllowance  say how many edits may be sent
//	evaluatePartitions   for every partition (evaluate.go):
//	  assembleSnapshot     make the policy's snapshot
//	  Decide               call the policy, through its guard
//	  gatePlan             what of the plan may be sent
//	  diffPlan             which edits lead there
//	  gateEdits            which of them may be sent
//	requestFullRead      ask for a whole list, where stops wait for one
//	storeIntents         store the cycles and what is to be sent
//	pushIntents          read each job again and send
//	releaseUnpushed      give back what nothing is pushed for any more
//
// Each takes values and returns values. What a cycle knows is bridge.Facts; what it
// leaves to the next one is Memory; what became of a partition is a PartitionResult;
// what partitions share of the budgets is handed from one to the next. Only the
// loop's ports reach the world.
//
// The world is looked at twice: before deciding, and again before each push.
// What is not in the journal is not pushed; what was pushed is believed only
// when a later poll shows it. A doubt of the cycle sends nothing more, one about a
// partition nothing for that partition: leases run out by themselves and Slurm
// alone goes on scheduling.
package cycle
