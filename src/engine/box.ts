// Whether programs can be boxed on this machine. Without a sandbox heddle refuses, unless the person said that agents
// may run unconfined; nothing that a model says can change that.
import { findSandbox, type Sandbox } from "../host/sandbox.ts";
import { Refused } from "./app.ts";

export type BoxChoice =
  | { readonly kind: "boxed"; readonly sandbox: Sandbox }
  | { readonly kind: "unconfined" };

export async function findBox({ unconfined }: { readonly unconfined: boolean }): Promise<BoxChoice> {
  if (unconfined) return { kind: "unconfined" };
  const found = await findSandbox();
  if (found.ok) return { kind: "boxed", sandbox: found };
  throw new Refused([
    {
      ...found.problem,
      hint: `${found.problem.hint ?? "apt-get install bubblewrap"}; or --unconfined, if you trust the agent`,
    },
  ]);
}
