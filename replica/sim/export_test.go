package sim

// PlanBy makes backfill plan with another planner than its own.
func (w *World) PlanBy(p backfillPlanner) { w.scheduler.backfillPlan = p }
