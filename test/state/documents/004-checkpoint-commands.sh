# Create checkpoint before spawning batch
python3 scripts/state.py checkpoint create T001 T002 T003

# Update after each executor returns
python3 scripts/state.py checkpoint update T001 success
python3 scripts/state.py checkpoint update T002 failed

# Mark batch complete
python3 scripts/state.py checkpoint complete

# Check current checkpoint status
python3 scripts/state.py checkpoint status

# Recover from crash (finds orphans, updates from result files)
python3 scripts/state.py checkpoint recover

# Clear checkpoint (after successful completion or manual cleanup)
python3 scripts/state.py checkpoint clear
