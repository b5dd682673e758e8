# Verify planning is complete
python3 scripts/state.py status
# Phase must be: ready, executing, or have tasks

# Verify target directory
[ -d "$TARGET_DIR" ] || echo "Target directory not found"
