// Which image a project's devcontainer.json asks for. It is a file of the repository, so it is data: a name that is looked
// for on this machine, never fetched, never built; of a `build` the name that the result must have, and the command.
import { stripComments } from "jsonc-parser";
import { jsonIn } from "../core/json.ts";
import { type Problem, problem } from "../core/problem.ts";

/** A name of an image, and nothing that an engine could take for an option. */
export const imagePattern = /^[A-Za-z0-9][\w./:@+-]{0,254}$/;

/** Where tools look for it, in this order. */
export const devcontainerFiles = [".devcontainer/devcontainer.json", ".devcontainer.json"];

export interface DevcontainerImage {
  readonly image: string;
  /** For an image that must be built first: what to type, behind the engine's name. */
  readonly build?: string;
}

const maxLength = 1024 * 1024;
/** What can be typed into a shell as it stands. */
const plainPath = /^[\w./@+-]+$/;

/**
 * What the file at `file`, a path from the project's root, asks for. `digestOf` gives a digest of a file of the project, by its
 * path from the root, or nothing where it is not there.
 */
export function devcontainerImage(
  file: string,
  text: string,
  digestOf: (path: string) => string | undefined,
): DevcontainerImage | { readonly problem: Problem } {
  const no = (why: string) => ({
    problem: problem("no-sandbox", `\`${file}\` ${why}`, {
      hint: '"box": {"container": {"image": "<image>"}} in .heddle/config.json',
    }),
  });
  // Commas before a closing bracket are allowed there, and nowhere in a string that matters here.
  const plain = stripComments(text.slice(0, maxLength), " ").replaceAll(/,(\s*[}\]])/g, " $1");
  const said = jsonIn(plain);
  if (typeof said !== "object" || said === null || Array.isArray(said)) return no("is not a JSON object");
  const { image, build, dockerFile, context, dockerComposeFile } = said as Record<string, unknown>;
  if (typeof image === "string")
    return imagePattern.test(image)
      ? { image }
      : no(`names an image that heddle cannot take by its name: ${image}`);
  if (dockerComposeFile !== undefined) return no("asks for services of docker compose, not for one image");
  const own = typeof build === "object" && build !== null ? (build as Record<string, unknown>) : {};
  const dockerfile = own.dockerfile ?? own.dockerFile ?? dockerFile;
  if (typeof dockerfile !== "string") return no("names neither an `image` nor a `build`");
  const around = file.includes("/") ? file.slice(0, file.lastIndexOf("/") + 1) : "";
  const from = own.context ?? context ?? ".";
  const paths = [dockerfile, from].map((path) =>
    typeof path === "string" ? joined(around, path) : undefined,
  );
  const [recipe, folder] = paths;
  if (recipe === undefined || folder === undefined)
    return no("asks for a build from files that are not the project's, or whose names cannot be typed");
  const digest = digestOf(recipe);
  if (digest === undefined) return no(`asks for a build with \`${recipe}\`, which is not there`);
  const name = `localhost/heddle-devcontainer:${digest.slice(0, 12)}`;
  return { image: name, build: `build -t ${name} -f ${recipe} ${folder}` };
}

/** Inside the project, in words that a shell takes as they are. */
function joined(around: string, path: string): string | undefined {
  if (!plainPath.test(path) || path.startsWith("/") || path.startsWith("-")) return undefined;
  const parts: string[] = [];
  for (const part of `${around}${path}`.split("/"))
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  return parts.join("/") || ".";
}
