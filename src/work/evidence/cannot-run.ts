// Whether a command could not run at all on the base: no such program, a module that is not installed, no network. Red is
// something else: the test ran, or the script that a task is going to write is not there yet.

export interface Tried {
  readonly command: string;
  readonly exit: number | null;
  readonly output: string;
  /** Whether a task of the plan changes what set-up installs: then what is missing may still come. */
  readonly mayInstall: boolean;
}

/** Why it cannot run, as the end of a sentence, and what helps; nothing where it ran. */
export function cannotRun({ command, exit, output, mayInstall }: Tried): Reason | undefined {
  if (exit === null || exit === 0) return undefined;
  const program = missingProgram(exit, output);
  if (program !== undefined && !program.includes("/")) {
    // A word of the command itself is looked for in PATH, where no task can put anything.
    if (wordsOf(command).includes(program)) return noProgram(program);
    if (!mayInstall)
      return {
        why: `it starts \`${program}\`, which is not installed`,
        hint: `install ${program}; or ${installHint}`,
      };
  }
  if (mayInstall) return undefined;
  const [, module] = /\bNo module named '?([\w.]+)'?/.exec(output) ?? [];
  if (module !== undefined && new RegExp(`-m\\s+${module.replaceAll(".", "\\.")}(?:\\s|$)`).test(command))
    return { why: `the module \`${module}\` is not installed`, hint: installHint };
  if (offline.test(output))
    return {
      why: "it needs the network, which acceptance commands do not have",
      hint: '"network": {"checks": true} in .heddle/config.json allows it',
    };
  return undefined;
}

export interface Reason {
  readonly why: string;
  readonly hint: string;
}

const installHint = '"setup": ["…"] in .heddle/config.json says what installs it';

const noProgram = (program: string): Reason => ({
  why: `there is no program \`${program}\` on this machine`,
  hint: `install ${program}`,
});

/** What shells say, each in its own way. */
const said = [
  /(?:^|\n)(?:\/bin\/)?(?:da|ba|z|a)?sh: (?:line )?(?:\d+: )?([^\s:]+): (?:not found|command not found|Permission denied)/,
  /(?:^|\n)[^\n:]+: line \d+: ([^\s:]+): command not found/,
  /(?:^|\n)([^\s:]+): (?:not found|command not found)/,
  /env: [‘'"]?([^’'"\s:]+)[’'"]?: No such file or directory/,
  /(?:^|\n)g?make(?:\[\d+\])?: ([^\s:]+): No such file or directory/,
];

/** make ends with 2, and says what the program that it started ended with. */
const byMake = /(?:^|\n)g?make(?:\[\d+\])?: \*\*\* [^\n]* Error 12[67](?:\n|$)/;

function missingProgram(exit: number, output: string): string | undefined {
  if (exit !== 127 && exit !== 126 && !byMake.test(output)) return undefined;
  for (const pattern of said) {
    const [, program] = pattern.exec(output) ?? [];
    if (program !== undefined) return program;
  }
  return undefined;
}

const wordsOf = (command: string) => command.split(/[\s;&|()]+/);

const offline =
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|Could not resolve host|Temporary failure in name resolution|Name or service not known|dial tcp: lookup /;
