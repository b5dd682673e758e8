// Ways out of a box, as scripts that run inside it. Each prints ESCAPED when it believes that it got out; besides,
// the test looks at the host: nothing outside has changed, and no canary was printed. `$OUT` is a folder of the host
// that no box shows, with a file `canary`; `$ID` is a name that exists nowhere; `$HOST` is a living process of the host.
export interface Escape {
  readonly name: string;
  readonly script: string;
}

const won = "&& echo ESCAPED";
const of = (kind: string, all: Readonly<Record<string, string>>): Escape[] =>
  Object.entries(all).map(([name, script]) => ({ name: `${kind}: ${name}`, script }));

const writing = of("write", {
  "an absolute path": `echo x > "$OUT/$ID" ${won}`,
  "a file that is there": `echo x >> "$OUT/canary" ${won}`,
  "up from the workspace": `echo x > ../$ID; echo x > "../$(basename "$OUT")/$ID" ${won}`,
  "a new file in /etc": `echo x > /etc/$ID ${won}`,
  "the hosts file": `echo "# $ID" >> /etc/hosts ${won}`,
  "a password for root": `echo "$ID::0:0::/:/bin/sh" >> /etc/passwd ${won}`,
  "the library cache": `echo x >> /etc/ld.so.cache ${won}`,
  "a program in /usr/bin": `echo x > /usr/bin/$ID ${won}`,
  "a program in /usr/local/bin": `echo x > /usr/local/bin/$ID ${won}`,
  "a library, through /lib": `echo x > /lib/$ID ${won}`,
  "the root folder": `echo x > /$ID ${won}`,
  "the host's /tmp": `echo x > /tmp/$ID; echo x > /var/tmp/$ID`,
  "the host's shared memory": `echo x > /dev/shm/$ID`,
  "/root": `mkdir -p /root; echo x > /root/$ID ${won}`,
  "/home": `mkdir -p /home/x ${won}; echo x > /home/$ID ${won}`,
  "/var": `echo x > /var/$ID ${won}; mkdir -p /var/spool/cron && echo x > /var/spool/cron/$ID ${won}`,
  "the Node that runs heddle": `echo x >> "$(command -v node)" ${won}; rm -f "$(command -v node)" ${won}`,
});

const linking = of("link", {
  "through one of its own": `ln -sfn "$OUT" way && echo x > way/$ID ${won}`,
  "through one to /etc": `ln -sfn /etc etc && echo x > etc/$ID ${won}`,
  "through one that was there before": `echo x > planted/$ID ${won}; cat planted/canary ${won}`,
  "through a relative one": `ln -sfn "../$(basename "$OUT")" rel && cat rel/canary ${won}`,
  "a hard one to the canary": `ln "$OUT/canary" hard ${won}`,
  "a hard one to /etc/passwd": `ln /etc/passwd hard && echo x >> hard ${won}`,
  "a hard one into the system": `ln -f /usr/bin/true hard && echo x >> hard ${won}`,
  "a move out of the workspace": `echo x > mine && mv mine "$OUT/$ID" ${won}`,
});

const proc = of("proc", {
  "the root of itself": `cat "/proc/self/root$OUT/canary" ${won}; echo x > "/proc/self/root$OUT/$ID" ${won}`,
  "the root of process 1": `cat "/proc/1/root$OUT/canary" ${won}; ls /proc/1/root/root ${won}`,
  "up from the working folder": `cat "/proc/self/cwd/../$(basename "$OUT")/canary" ${won}`,
  "the working folder of process 1": `cat "/proc/1/cwd$OUT/canary" ${won}`,
  "descriptors of process 1": `for fd in /proc/1/fd/*; do ls "$fd/canary" ${won}; done`,
  "descriptors that heddle left open": `for fd in /proc/self/fd/*; do cat "$fd/canary" ${won}; echo x > "$fd/$ID" ${won}; done`,
  "the file behind its input": `echo overwritten > /proc/self/fd/0`,
  "the kernel's core pattern": `v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern ${won}`,
  "another kernel setting": `v=$(cat /proc/sys/vm/swappiness); echo "$v" > /proc/sys/vm/swappiness ${won}`,
  "the emergency keys": `[ -e /proc/sysrq-trigger ] && echo h > /proc/sysrq-trigger ${won}`,
  "memory types": `echo > /proc/mtrr ${won}`,
  "immunity from the memory killer": `echo -1000 > /proc/self/oom_score_adj ${won}`,
  "a user map": `echo "0 0 4294967295" > /proc/self/uid_map ${won}`,
  "the host's processes": `[ -d "/proc/$HOST/task" ] && grep -qa vitest "/proc/$HOST/cmdline" ${won}`,
  "the environment of the host's processes": `cat /proc/[0-9]*/environ | tr '\\0' '\\n'`,
  "the memory of the kernel": `head -c 16 /proc/kcore ${won}`,
});

const reading = of("read", {
  "the canary": `cat "$OUT/canary" ${won}`,
  "/root": `ls /root ${won}`,
  "/home": `ls /home ${won}`,
  "what lies beside the workspace": `ls ..; cat ../*/canary ${won}`,
  "the repository of heddle": `cat "$REPO/package.json" ${won}; ls "$REPO/src" ${won}`,
  "the shadow file": `cat /etc/shadow ${won}; cat /etc/gshadow ${won}`,
  "private keys of the host": `ls /etc/ssl/private ${won}; ls /etc/ssh ${won}`,
  "sockets of daemons": `for d in /run /var/run; do ls -A $d | grep -vx -e heddle -e .containerenv ${won}; done; ls /var/run/docker.sock ${won}`,
  "the disk": `for d in /dev/sda /dev/vda /dev/nvme0n1; do head -c 16 $d ${won}; done`,
  "a disk that it makes itself": `mknod disk b 254 0 && head -c 16 disk ${won}; mknod mem c 1 1 ${won}`,
  "physical memory": `head -c 16 /dev/mem ${won}; head -c 16 /dev/kmsg ${won}`,
  "/sys": `ls /sys/kernel ${won}`,
  "what is hidden": `cat hidden/canary ${won}; cat hidden-file ${won}`,
});

const powers = of("power", {
  "a bind mount": `mkdir -p m && mount --bind / m ${won}`,
  "writing to /usr by mounting it again": `mount -o remount,rw,bind /usr ${won}`,
  "a file system of its own": `mkdir -p m && mount -t tmpfs none m ${won}; mount -t proc none m ${won}`,
  "taking a mount away": `umount -l /etc/hosts ${won}; umount -l /usr ${won}; umount -l / ${won}`,
  "a user namespace": `unshare -U true ${won}; unshare -r true ${won}`,
  "a user and a mount namespace": `unshare -rm sh -c 'mount --bind / /tmp' ${won}`,
  "a mount namespace": `unshare -m true ${won}`,
  "the namespaces of process 1": `nsenter -t 1 -m -p -n true ${won}`,
  "the namespaces of the host": `nsenter -t "$HOST" -m true ${won}`,
  "another root": `mkdir -p r && chroot r ${won}; pivot_root . . ${won}`,
  "signals to the host": `kill -0 "$HOST" ${won}`,
  "a debugger on the host": `timeout 2 strace -p "$HOST" 2>&1 | grep -q attached ${won}; timeout 2 gdb -p "$HOST" -batch 2>&1 | grep -q "^\\[New LWP" ${won}`,
  "the memory of the host's processes": `dd if=/proc/$HOST/mem of=/dev/null count=1 ${won}`,
  "another user": `su -c true nobody ${won}; setpriv --reuid 1 true ${won}`,
  capabilities: `grep -q 'CapEff:.*[1-9a-f]' /proc/self/status ${won}; grep -q 'CapBnd:.*[1-9a-f]' /proc/self/status ${won}`,
  "programs with the set-uid bit": `grep -q 'NoNewPrivs:.*0' /proc/self/status ${won}`,
  "the clock": `date -s "$(date)" ${won}`,
  "the host's name": `hostname escaped ${won}`,
  "a control group": `mkdir /sys/fs/cgroup/$ID ${won}; mkdir -p c && mount -t cgroup2 none c ${won}`,
  "the person's terminal": `echo x > /dev/tty ${won}`,
  priority: `renice -n -5 $$ ${won}`,
  "shared memory of the host": `ipcs -m | grep -q '^0x' ${won}; ls /dev/shm/heddle-* ${won}`,
  "more room than it was given": `head -c 100M /dev/zero > /dev/shm/fill ${won}; head -c 100M /dev/zero > /tmp/fill ${won}`,
});

const protection = of("protect", {
  "a protected file": `echo x >> kept/deep/policy ${won}; : > kept/deep/policy ${won}`,
  "removing it": `rm -f kept/deep/policy ${won}; mv kept/deep/policy elsewhere ${won}`,
  "putting another in its place": `echo x > other && mv -f other kept/deep/policy ${won}; ln -sfn other kept/deep/policy ${won}`,
  "moving its folder away": `mv kept/deep kept/aside ${won}; mv kept aside ${won}; rm -rf kept/deep kept; [ -e kept/deep/policy ] || echo ESCAPED`,
  "its mode": `chmod 777 kept/deep/policy ${won}; touch kept/deep/policy ${won}`,
  "a protected path that is not there": `echo x > missing ${won}; mkdir missing ${won}; rm -f missing ${won}; mv missing away ${won}`,
  "below a protected path that is not there": `mkdir -p absent/hooks ${won}; echo x > absent ${won}; mv absent away ${won}`,
  "a read-only folder in the workspace": `echo x > fixed/$ID ${won}; rm fixed/file ${won}; mv fixed moved ${won}`,
});

export const escapes: readonly Escape[] = [
  ...writing,
  ...linking,
  ...proc,
  ...reading,
  ...powers,
  ...protection,
];
