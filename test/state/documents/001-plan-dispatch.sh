# Initialize if no state exists
if [ ! -f project-planning/state.json ]; then
    python3 scripts/state.py init "$TARGET_DIR"
fi

# Check current phase
python3 scripts/state.py status
