python3 scripts/bundle.py generate T001       # Single task
python3 scripts/bundle.py generate-ready      # All ready tasks
