# Runs the commands that arrive on stdin, one JSON list [folder, program, argument...] per line, one after the other,
# and answers each with a line: wall and CPU seconds, and the peak of resident memory in KiB, as wait4 counts them.
# Node cannot ask for this. Its own small process also keeps ru_maxrss honest: a child starts with its parent's peak.
import json, os, sys, time

silent = [
    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
]

for line in sys.stdin:
    folder, *command = json.loads(line)
    os.chdir(folder)
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    cpu = usage.ru_utime + usage.ru_stime
    code = os.waitstatus_to_exitcode(status)
    print(json.dumps({"wall": wall, "cpu": cpu, "rss": usage.ru_maxrss, "code": code}), flush=True)
