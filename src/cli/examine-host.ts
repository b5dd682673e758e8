// `heddle doctor --host`: what another machine of the configuration lacks, as that machine itself finds it out over ssh.
import { version } from "../command/version.ts";
import { type Finding, fail, ok } from "../doctor/finding.ts";
import { pathsIn } from "../engine/paths.ts";
import { agentWords } from "../orders/agents.ts";
import { MachineGone } from "../orders/carriers/ssh.ts";
import { readConfig } from "../orders/config.ts";
import { demandHost, machinesOf, seenOf } from "../orders/machines.ts";

export async function examineHost(root: string, name: string): Promise<Finding[]> {
  const { heddle } = pathsIn(root);
  const config = readConfig(heddle);
  demandHost(config, name);
  const machines = machinesOf({ heddle, config, version, unconfined: config.unconfined === true });
  if (!machines) throw new Error("bug: a host that is configured is not a machine");
  const agents = [...new Set(agentWords(config, undefined))];
  try {
    const asked = { name, agents, thorough: true };
    const { findings } = await seenOf(machines, asked, new AbortController().signal);
    return [ok("ssh", `${name} answers`), ok("heddle", `${version}, as here`), ...findings];
  } catch (error) {
    if (!(error instanceof MachineGone)) throw error;
    return [fail("ssh", error.message, `ssh ${name} heddle --version`)];
  }
}
