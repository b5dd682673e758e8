python3 scripts/state.py retry-task T019
python3 scripts/state.py retry-task T011
python3 scripts/state.py retry-task T006
python3 scripts/state.py checkpoint clear
