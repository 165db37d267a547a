-- How good estimates of a partition ($2) were whose start seemed so far ahead ($3: a horizon).
select looks, held, early, late, median_error_s, looks_with_slurm, coalesce(median_error_with_slurm_s, 0), coalesce(slurm_median_error_s, 0),
       ends, coalesce(end_held, 0), coalesce(end_early, 0), coalesce(end_late, 0), coalesce(end_median_error_s, 0)
  from fairbridge_v1.estimate_scores where cluster = $1 and partition = $2 and horizon = $3
