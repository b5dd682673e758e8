// What of a repository's configuration heddle has to know before it lets git read it: which programs it names, so that they
// can be switched off, and which files of the work tree it includes, which agents must not write then.
import { dirname, relative, resolve } from "node:path";
import { fields, runGit } from "./git.ts";

export interface Configuration {
  readonly flags: readonly string[];
  /** Relative to the work tree's root. */
  readonly included: readonly string[];
}

export async function readConfiguration(gitDir: string, root: string): Promise<Configuration> {
  const wanted = "^(filter|merge|diff)\\..*\\.|^include(if\\..*)?\\.path$";
  const args = ["config", "--null", "--show-origin", "--get-regexp", wanted];
  const { out, code } = await runGit({ gitDir, flags: [] }, { args });
  if (code !== 0) return { flags: [], included: [] };
  const all = fields(out);
  const sections = new Set<string>();
  const included = new Set<string>();
  for (let at = 0; at + 1 < all.length; at += 2) {
    const [origin = "", setting = ""] = [all[at], all[at + 1]];
    const name = setting.split("\n", 1)[0] ?? "";
    const value = setting.slice(name.length + 1);
    if (!name.startsWith("include")) sections.add(name.slice(0, name.lastIndexOf(".")));
    else {
      const inside = relative(root, fileMeant(origin.replace(/^file:/, ""), value));
      if (inside !== "" && !inside.startsWith("../")) included.add(inside);
    }
  }
  return { flags: [...sections].flatMap(switchedOff), included: [...included] };
}

/** Whether the file is there or not: one that is missing can be made. */
function fileMeant(origin: string, path: string): string {
  const { HOME = "/" } = process.env;
  return resolve(dirname(origin), path.startsWith("~/") ? `${HOME}/${path.slice(2)}` : path);
}

/** Filters and merge drivers are programs of the configuration's choosing, and an agent's .gitattributes can call them. */
function switchedOff(section: string): string[] {
  if (section.startsWith("filter."))
    return ["clean=", "smudge=", "process=", "required=false"].flatMap((off) => ["-c", `${section}.${off}`]);
  // A merge driver that fails is a conflict, which is what a merge without its driver has to be.
  return section.startsWith("merge.") ? ["-c", `${section}.driver=false`] : ["-c", `${section}.command=`];
}
