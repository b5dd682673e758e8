# Check for existing checkpoint from previous run
python3 scripts/state.py checkpoint status

# If checkpoint exists and is active, recover
python3 scripts/state.py checkpoint recover

# This will:
# 1. Find tasks that completed (have result files) but weren't acknowledged
# 2. Identify orphaned tasks (still "running" with no result file)
# 3. Update checkpoint state accordingly
