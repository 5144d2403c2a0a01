#!/bin/bash
# A task for each shard of the folder parts, which crscore split has made.
#SBATCH --job-name=crscore
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=crscore-%A_%a.log
shard=$SLURM_ARRAY_TASK_ID
crscore score --data parts --shard "$shard/8" --out "run-$shard" && exit
code=$?
# A finished run stays as it is, also where a review has no score.
[ "$code" = 3 ] && grep -q '^  "data": {' "run-$shard/run.json" && exit
exit "$code"
