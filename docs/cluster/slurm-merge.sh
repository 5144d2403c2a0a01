#!/bin/bash
#SBATCH --job-name=crscore-merge
#SBATCH --mem=1G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=crscore-merge.log
crscore merge run-* --out merged && exit
code=$?
[ "$code" = 3 ] && grep -q '^  "data": {' merged/run.json && exit
exit "$code"
