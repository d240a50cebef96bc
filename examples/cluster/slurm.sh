#!/bin/bash
#SBATCH --job-name=plyground
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=24:00:00
#SBATCH --signal=B:TERM@300
#SBATCH --requeue
#SBATCH --output=plyground-%j.log
# Self-play on four machines of a cluster that SLURM runs: sbatch examples/cluster/slurm.sh
# All machines have the checkout, its virtual environment and the home folder under the same path.
set -euo pipefail
PLYGROUND=${PLYGROUND:-$HOME/plyground/.venv/bin}
export RAY_USAGE_STATS_ENABLED=0 RAY_AUTH_MODE=token
"$PLYGROUND/ray" get-auth-token --generate > /dev/null

head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
address=$(srun --nodes=1 --ntasks=1 -w "$head" hostname --ip-address | cut -d ' ' -f 1):6379
srun --overlap --nodes=1 --ntasks=1 -w "$head" "$PLYGROUND/ray" start --head --block \
    --port=6379 --num-cpus="$SLURM_CPUS_PER_TASK" --include-dashboard=false &
until "$PLYGROUND/ray" status --address "$address" > /dev/null 2>&1; do sleep 2; done
srun --overlap --nodes=$((SLURM_NNODES - 1)) --ntasks=$((SLURM_NNODES - 1)) -x "$head" \
    "$PLYGROUND/ray" start --address="$address" --block --num-cpus="$SLURM_CPUS_PER_TASK" &

# SLURM sends SIGTERM five minutes before the end: the run writes a checkpoint and ends. The same
# script goes on from there.
"$PLYGROUND/plyground" train alphazero connect_four --out runs/az_c4 --hours 20 \
    --set games=64 --workers $((SLURM_NNODES * SLURM_CPUS_PER_TASK)) --runner ray --address "$address" &
training=$!
trap 'kill -TERM $training' TERM
wait $training || wait $training
