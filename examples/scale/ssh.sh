#!/bin/bash
# One shard a machine, by ssh alone; the shards are brought here and put together.
#
#   bash ssh.sh machines.txt runs/pwws --victim hf:./model --data reviews.csv --attack pwws
#
# A line of machines.txt is MACHINE:FOLDER, a folder with model and data, on a shared disk or a disk of its own.
# Called again, this goes on where it was stopped, or where a machine was lost; keep the number of machines.
set -u
machines=$1 run=$2
shift 2
total=$(grep -c . "$machines")

attack_on() {  # MACHINE FOLDER NUMBER OPTION…
    local machine=$1 folder=$2 number=$3
    shift 3
    local shard
    shard=$(printf "%s/shards/%0${#total}d-of-%d" "$run" "$number" "$total")
    ssh -n "$machine" "cd ${folder@Q} && unfool attack ${*@Q} --shard $number/$total --out ${run@Q} --resume --quiet"
    # On a shared disk it is here already.
    [ -e "$shard/summary.json" ] || ssh -n "$machine" "cd ${folder@Q} && tar -cf - ${shard@Q}" | tar -xf -
}

number=0
while IFS=: read -r machine folder; do
    number=$((number + 1))
    attack_on "$machine" "$folder" "$number" "$@" &
done < "$machines"
wait
unfool merge "$run"
