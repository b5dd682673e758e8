# Check current halt status
python3 scripts/state.py halt-status

# Clear halt and resume
python3 scripts/state.py resume

# Then run /execute again
