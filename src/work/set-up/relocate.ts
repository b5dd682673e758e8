// Python writes the place where it was installed into scripts and into the files that say where a project in place lies. Set-up is
// made in one folder and used in others, so the files that name the first are noted once, and written anew where they are laid.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { isPlainFolder, replaceFile } from "../../host/files.ts";
import { listHandedIn, readBytes } from "../../host/handed-in.ts";

const mostBytes = 256 * 1024;
const mostNames = 20_000;

/** Paths below `files` that name `place`, in the environments among what was made. */
export function namingFiles(files: string, made: readonly string[], place: string): string[] {
  return made
    .flatMap((path) => environmentsAt(files, path))
    .flatMap((environment) => [
      ...namesIn(files, environment, () => true),
      ...namesIn(files, `${environment}/bin`, () => true),
      ...packagesIn(files, environment).flatMap((folder) => namesIn(files, folder, pointers)),
    ])
    .filter((path) => textAt(files, path)?.includes(place));
}

const isEnvironment = (path: string) => /(?:^|\/)(?:\.venv|venv|\.heddle-packages\/python)$/.test(path);

function environmentsAt(files: string, path: string): string[] {
  const stores = /(?:^|\/)\.heddle-packages$/.test(path) ? [`${path}/python`] : [];
  return [path, ...stores].filter((each) => isEnvironment(each) && isPlainFolder(join(files, each)));
}

/** `lib/python3.12/site-packages`, whichever version. */
function packagesIn(files: string, environment: string): string[] {
  return foldersIn(files, `${environment}/lib`)
    .filter((name) => /^python[\d.]+$/.test(name))
    .map((name) => `${environment}/lib/${name}/site-packages`);
}

const pointers = (name: string) => /\.(?:pth|egg-link)$|^__editable__.*\.py$/.test(name);

function foldersIn(files: string, folder: string): string[] {
  const listed = isReached(files, folder) ? listHandedIn(join(files, folder), mostNames) : [];
  return listed === "too many" ? [] : listed.map(({ name }) => name);
}

function namesIn(files: string, folder: string, isMeant: (name: string) => boolean): string[] {
  return foldersIn(files, folder)
    .filter(isMeant)
    .map((name) => `${folder}/${name}`);
}

/** No step on the way is a link: nothing is read or written elsewhere. */
function isReached(files: string, folder: string): boolean {
  let at = files;
  return folder.split("/").every((step) => {
    at = join(at, step);
    return isPlainFolder(at);
  });
}

function textAt(files: string, path: string): string | undefined {
  const head = readBytes(join(files, path), { bytes: mostBytes }, { within: files });
  if (typeof head === "string" || head.size > mostBytes || head.bytes.includes(0)) return undefined;
  return head.bytes.toString("utf8");
}

export interface Move {
  /** What these files name, and what they are to name. */
  readonly from: string;
  readonly to: string;
  readonly files: readonly string[];
}

/** As new files: a copy that shares its blocks or its name with others is not written into. */
export function relocate(folder: string, { from, to, files }: Move): void {
  for (const path of files) {
    const text = isReached(folder, path.slice(0, path.lastIndexOf("/"))) ? textAt(folder, path) : undefined;
    if (!text?.includes(from)) continue;
    replaceFile(join(folder, path), text.replaceAll(from, to));
    if (/(?:^|\/)bin\/[^/]+$/.test(path)) chmodSync(join(folder, path), 0o755);
  }
}
