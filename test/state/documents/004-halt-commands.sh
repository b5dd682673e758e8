# Request halt (called by orchestrator when user sends STOP)
python3 scripts/state.py halt [reason]

# Check if halted (exit code 1 = halted, 0 = ok)
python3 scripts/state.py check-halt

# Confirm halt completed (after executor stops)
python3 scripts/state.py confirm-halt

# Show detailed halt status
python3 scripts/state.py halt-status [--format json]

# Clear halt and resume
python3 scripts/state.py resume
