#!/bin/bash
# One shard a task of a Slurm array; a task that is requeued goes on where it was.
#
#   sbatch --wait slurm.sh --victim hf:./model --data reviews.csv --attack pwws --out runs/pwws
#   unfool merge runs/pwws

#SBATCH --job-name=unfool
#SBATCH --array=1-16
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
#SBATCH --time=04:00:00
#SBATCH --requeue

exec unfool attack "$@" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --resume --quiet
